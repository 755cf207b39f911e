import type { Integration } from '../host.ts'
import { createPersonSource } from './agent-source.ts'
import { HUMAN_ID } from './human-id.ts'
import { createPersonRuntime } from './runtime.ts'

/** People as participants: the registry is where they come from, and a run waits for what they say. */
export const humanIntegration: Integration = {
  id: HUMAN_ID,
  descriptors: [
    { id: HUMAN_ID, label: 'Person', description: 'A person who works in the team.', participantKind: 'human' },
  ],
  open: (host) => ({ agentSource: createPersonSource(host), runtime: createPersonRuntime(host) }),
}
