// The product's own way to an MCP server, from socket to tool, in a process of its own: guard, grants on a real database,
// mount and protocol. It serves one table of twelve tools. Says its address, and gives grants when asked for a number.
import { createGrants } from '../packages/server/src/access/grants.ts'
import { openOperatorToken } from '../packages/server/src/access/operator-token.ts'
import { createRequestGuard } from '../packages/server/src/access/request-guard.ts'
import { createSignIn } from '../packages/server/src/access/sign-in.ts'
import { createApp } from '../packages/server/src/http/app.ts'
import { createCredentials } from '../packages/server/src/http/credentials.ts'
import { listen } from '../packages/server/src/http/listen.ts'
import { createMcpCallers } from '../packages/server/src/http/mcp-callers.ts'
import type { Handlers } from '../packages/server/src/http/operation-handler.ts'
import { createLog } from '../packages/server/src/log.ts'
import { createMcpServers } from '../packages/server/src/mcp/mcp-servers.ts'
import { newAgent } from '../packages/server/src/store/contract/agents-contract.ts'
import { newRun } from '../packages/server/src/store/contract/runs-contract.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { createTwelveTools } from './twelve-tools.ts'

const home = process.argv.at(-1)!
const store = await openStore({ sqliteFile: `${home}/clawboo.sqlite` })
await store.agents.insert(newAgent('ada'))
const [token, listening] = [
  await openOperatorToken(home),
  await listen({ host: '127.0.0.1', port: 0, searchOn: false }),
]
const { port } = listening
const grants = createGrants(store)
const log = createLog('error')
const servers = createMcpServers({ twelve: async () => createTwelveTools() }, grants, log)
const credentials = createCredentials(token, createSignIn(token), grants, { port, secure: false })
const mcp = { servers, identify: createMcpCallers(grants, credentials) }
const app = createApp({ handlers: {} as Handlers, credentials, mcp, pageFolder: home, log })
listening.serve(app, createRequestGuard({ host: '127.0.0.1', port, publicUrl: null }))

process.on('message', async (count: number) => {
  const secrets: string[] = []
  for (let n = 0; n < count; n++) {
    const runId = `run-${n}`
    await store.runs.insert(newRun(runId, { agentId: 'ada' }))
    const binding = { runId, agentId: 'ada', teamId: null, roomId: null, taskId: null }
    secrets.push((await grants.issue({ ...binding, tools: await servers.toolNames() })).secret)
  }
  process.send!(secrets)
})
process.on('disconnect', () => process.exit())
process.send!(`http://127.0.0.1:${port}/api/mcp/twelve`)
