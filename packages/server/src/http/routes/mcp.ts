import { type AttachingRuntime, attachConfig } from '../../mcp/attach-snippets.ts'
import type { Handlers } from '../operation-handler.ts'

export interface McpRouteDependencies {
  readonly names: readonly string[]
  readonly serverUrl: string
  /** Runtimes come and go, so they are read at each request. */
  readonly runtimes: () => readonly AttachingRuntime[]
}

export function mcpRoutes({ names, serverUrl, runtimes }: McpRouteDependencies) {
  return {
    getMcpConfig: async () => attachConfig(names, serverUrl, runtimes()),
  } satisfies Partial<Handlers>
}
