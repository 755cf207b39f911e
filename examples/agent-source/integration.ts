import type { Integration } from '../../packages/server/src/integrations/host.ts'
import { createExampleAgentSource } from './agent-source.ts'

export const exampleIntegration: Integration = {
  id: 'example',
  descriptors: [{ id: 'example', label: 'Example', description: 'Two Boos from a list.', participantKind: 'agent' }],
  open: (host) => ({ agentSource: createExampleAgentSource(host) }),
}
