import { describeAgentSourceContract } from './agent-source-contract.ts'
import { createMemoryAgentSource, emptyUpstream } from './memory-agent-source.ts'

describeAgentSourceContract('in memory', async () => {
  const upstream = emptyUpstream()
  return {
    source: createMemoryAgentSource('memory', upstream),
    upstream: {
      put: async (agent) => void upstream.agents.set(agent.sourceAgentId, agent),
      remove: async (sourceAgentId) => void upstream.agents.delete(sourceAgentId),
      disconnect: async () => {
        upstream.connected = false
      },
    },
  }
})
