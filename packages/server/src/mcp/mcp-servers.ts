import type { Grants } from '../access/grants.ts'
import type { Log } from '../log.ts'
import type { AttachedTools } from './attach-tables.ts'
import type { ToolWatch } from './call-tool.ts'
import type { Caller } from './caller.ts'
import type { McpHttpServer } from './serve-http.ts'
import type { ToolTable } from './tool-table.ts'

/** Every MCP server of this process, by name. Loads the schemas and the protocol on first use. */
export interface McpServers {
  /** In display order. */
  readonly names: readonly string[]
  /** Resolves to null for an unknown name. */
  http(name: string): Promise<McpHttpServer | null>
  /** Returns the tools of all servers for direct calls by a runtime in this process. */
  attach(caller: Caller): Promise<AttachedTools>
  /** The tools of all servers, which a grant may include. */
  toolNames(): Promise<string[]>
  close(): Promise<void>
}

export type LoadTable = () => Promise<ToolTable>

export function createMcpServers(
  loaders: Readonly<Record<string, LoadTable>>,
  grants: Pick<Grants, 'recordRefusal'>,
  log: Log,
): McpServers {
  const names = Object.keys(loaders)
  const watch: ToolWatch = {
    mistake: (tool, error) => log.error('a tool failed', { tool, error }),
    refused: ({ runId, agentId }, tool, because) =>
      grants.recordRefusal({ grant: { runId, agentId }, because, at: `tool ${tool}` }),
  }
  const loaded = new Map<string, Promise<{ table: ToolTable; http: McpHttpServer }>>()
  const load = (name: string) => {
    let server = loaded.get(name)
    if (!server) {
      server = Promise.all([loaders[name]!(), import('./serve-http.ts')]).then(([table, { serveTableOverHttp }]) => ({
        table,
        http: serveTableOverHttp(table, watch),
      }))
      loaded.set(name, server)
    }
    return server
  }
  const tables = async () => (await Promise.all(names.map(load))).map(({ table }) => table)

  return {
    names,
    http: async (name) => (Object.hasOwn(loaders, name) ? (await load(name)).http : null),
    async attach(caller) {
      const [all, { attachTables }] = await Promise.all([tables(), import('./attach-tables.ts')])
      return attachTables(all, caller, watch)
    },
    toolNames: async () => (await tables()).flatMap(({ tools }) => tools.map(({ name }) => name)),
    async close() {
      for (const server of loaded.values()) await (await server.catch(() => null))?.http.close()
    },
  }
}
