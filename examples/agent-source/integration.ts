import type { Integration } from '../../packages/server/src/integrations/host.ts'

export const exampleIntegration: Integration = {
  id: 'example',
  open: (host) => ({
    upstream: {
      label: 'Example',
      isConnectable: false,
      hasToolPolicy: false,
      isWanted: async () => true,
      async load() {
        const { createExampleAgentSource } = await import('./agent-source.ts')
        return { agentSource: createExampleAgentSource(host) }
      },
    },
  }),
}
