import type { Integration } from '../../../packages/server/src/integrations/host.ts'
import { integrations as own } from '../../../packages/server/src/integrations/index.ts'
import { gateIntegration } from './integration.ts'

export const integrations: readonly Integration[] = [...own, gateIntegration]
