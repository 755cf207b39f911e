import type { Integration } from './host.ts'
import { humanIntegration } from './human/integration.ts'
import { nativeIntegration } from './native/integration.ts'
import { openClawIntegration } from './openclaw/integration.ts'

/** In order of precedence: the first with an AgentSource is where a Boo is made unless somebody says otherwise. */
export const integrations: readonly Integration[] = [nativeIntegration, openClawIntegration, humanIntegration]
