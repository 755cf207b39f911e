import type { Integration } from '../host.ts'
import { createNativeAgentSource } from './agent-source.ts'
import { openLate } from './late-parts.ts'
import { NATIVE_ID } from './native-id.ts'

export const nativeIntegration: Integration = {
  id: NATIVE_ID,
  descriptors: [
    {
      id: NATIVE_ID,
      label: 'Native',
      description: 'Ships with Clawboo and needs nothing else.',
      participantKind: 'agent',
    },
  ],
  open: (host) => ({ agentSource: createNativeAgentSource(host), ...openLate(host) }),
}
