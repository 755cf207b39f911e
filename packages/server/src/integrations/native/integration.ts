import type { Integration } from '../host.ts'
import { createNativeAgentSource } from './agent-source.ts'
import { NATIVE_DESCRIPTOR } from './descriptor.ts'
import { openLate } from './late-parts.ts'
import { NATIVE_ID } from './native-id.ts'

export const nativeIntegration: Integration = {
  id: NATIVE_ID,
  descriptors: [NATIVE_DESCRIPTOR],
  open: (host) => ({ agentSource: createNativeAgentSource(host), ...openLate(host) }),
}
