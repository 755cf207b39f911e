import type { RuntimeRegistry } from '@clawboo/core/executor'
import { attachConfig } from '../../mcp/attach-snippets.ts'
import type { Handlers } from '../app.ts'

interface McpRouteDependencies {
  readonly names: readonly string[]
  readonly serverUrl: string
  readonly runtimes: RuntimeRegistry
}

export function mcpRoutes({ names, serverUrl, runtimes }: McpRouteDependencies) {
  return {
    getMcpConfig: async () =>
      attachConfig(
        names,
        serverUrl,
        runtimes.list().map(({ descriptor }) => descriptor),
      ),
  } satisfies Partial<Handlers>
}
