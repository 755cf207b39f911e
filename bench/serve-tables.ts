import { createGrants, type GrantBinding, type Grants } from '../packages/server/src/access/grants.ts'
import { openOperatorToken } from '../packages/server/src/access/operator-token.ts'
import { createRequestGuard } from '../packages/server/src/access/request-guard.ts'
import { createSignIn } from '../packages/server/src/access/sign-in.ts'
import { createApp, type Handlers } from '../packages/server/src/http/app.ts'
import { createCredentials } from '../packages/server/src/http/credentials.ts'
import { listen } from '../packages/server/src/http/listen.ts'
import { createMcpCallers } from '../packages/server/src/http/mcp-callers.ts'
import { createLog } from '../packages/server/src/log.ts'
import { createMcpServers, type McpServers } from '../packages/server/src/mcp/mcp-servers.ts'
import { newRun } from '../packages/server/src/store/contract/runs-contract.ts'
import type { Store } from '../packages/server/src/store/open-store.ts'

/**
 * The product's own path to an MCP server, from socket to tool: guard, grants on a real database, mount and protocol.
 * Sends its address to the parent process, and issues the requested number of grants.
 */
export async function serveTables(
  home: string,
  store: Store,
  tables: (grants: Grants) => Parameters<typeof createMcpServers>[0],
  bound: Pick<GrantBinding, 'agentId' | 'teamId' | 'roomId'>,
): Promise<void> {
  const token = await openOperatorToken(home)
  const listening = await listen({ host: '127.0.0.1', port: 0, searchOn: false })
  const { port } = listening
  const grants = createGrants(store)
  const log = createLog('error')
  const servers: McpServers = createMcpServers(tables(grants), grants, log)
  const credentials = createCredentials(token, createSignIn(token), grants, { port, secure: false })
  const mcp = { servers, identify: createMcpCallers(grants, credentials) }
  const app = createApp({ handlers: {} as Handlers, credentials, mcp, pageFolder: home, log })
  listening.serve(app, createRequestGuard({ host: '127.0.0.1', port, publicUrl: null }))
  process.on('message', async (count: number) => {
    const { agentId, teamId } = bound
    const tools = await servers.toolNames()
    const secrets: string[] = []
    for (let n = 0; n < count; n++) {
      const runId = `run-${n}`
      await store.runs.insert(newRun(runId, { agentId, teamId }))
      secrets.push((await grants.issue({ ...bound, runId, taskId: null, tools })).secret)
    }
    process.send!(secrets)
  })
  process.on('disconnect', () => process.exit())
  process.send!(`http://127.0.0.1:${port}/api/mcp/${servers.names[0]}`)
}
