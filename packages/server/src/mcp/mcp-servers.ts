import type { Grants } from '../access/grants.ts'
import type { Log } from '../log.ts'
import type { ToolWatch } from './call-tool.ts'
import type { Caller } from './caller.ts'
import type { McpHttpServer } from './serve-http.ts'
import type { ToolTable } from './tool-table.ts'

export type McpServers = ReturnType<typeof createMcpServers>

export type LoadTable = () => Promise<ToolTable>

/** Every MCP server of this process, by name. Loads the schemas and the protocol on first use. */
export function createMcpServers(
  loaders: Readonly<Record<string, LoadTable>>,
  grants: Pick<Grants, 'recordRefusal'>,
  log: Log,
) {
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
    /** In display order. */
    names,
    /** Resolves to null for an unknown name. */
    http: async (name: string) => (Object.hasOwn(loaders, name) ? (await load(name)).http : null),
    /** Returns the tools of all servers for direct calls by a runtime in this process. */
    async attach(caller: Caller) {
      const [all, { attachTables }] = await Promise.all([tables(), import('./attach-tables.ts')])
      return attachTables(all, caller, watch)
    },
    /** The tools of all servers, which a grant may include. */
    toolNames: async () => (await tables()).flatMap(({ tools }) => tools.map(({ name }) => name)),
    async close() {
      for (const server of loaded.values()) await (await server.catch(() => null))?.http.close()
    },
  }
}
