import type { Integration } from './host.ts'
import { humanIntegration } from './human/integration.ts'
import { nativeIntegration } from './native/integration.ts'
import { openClawIntegration } from './openclaw/integration.ts'

/** In order of precedence: by default a Boo runs on the first runtime that has no agents of its own. */
export const integrations: readonly Integration[] = [nativeIntegration, openClawIntegration, humanIntegration]
