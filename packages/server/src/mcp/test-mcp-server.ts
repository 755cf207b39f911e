import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll } from 'vitest'
import { removeHome, temporaryHome } from '../../../../test/server-process.ts'
import { createGrants, type GrantBinding, type Grants } from '../access/grants.ts'
import { openOperatorToken } from '../access/operator-token.ts'
import { createRequestGuard } from '../access/request-guard.ts'
import { createSignIn } from '../access/sign-in.ts'
import { type TestRecords, useRecords } from '../executor/test-records.ts'
import { createApp, type Handlers } from '../http/app.ts'
import { createCredentials } from '../http/credentials.ts'
import { type Listening, listen } from '../http/listen.ts'
import { createMcpCallers } from '../http/mcp-callers.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import { newRun } from '../store/contract/runs-contract.ts'
import { createSqliteDatabase } from '../store/test-stores.ts'
import { createMcpServers, type McpServers } from './mcp-servers.ts'
import { createFixtureTable } from './test-fixture-table.ts'
import { createTestTables, type TestTables } from './test-tables.ts'

/** The product's own app, guard, credentials and mount, with the fixture beside the real servers. */
export interface TestMcpServer {
  readonly url: string
  readonly token: string
  readonly grants: Grants
  readonly servers: McpServers
  readonly fixture: ReturnType<typeof createFixtureTable>
  readonly tables: TestTables
  readonly records: TestRecords
  /** Replaces the operator token as the product does. */
  rotate(): Promise<void>
  /** Starts a run with a grant for every tool. */
  startRun(agentId: string, teamId: string | null, more?: Partial<GrantBinding>): Promise<TestRun>
}

export interface TestRun {
  readonly runId: string
  readonly secret: string
  end(): Promise<void>
}

/** Ada and Bob share a team; Eve is in another. Call the returned function inside tests only. */
export function useMcpServer(): () => TestMcpServer {
  const records = useRecords(createSqliteDatabase)
  let server: TestMcpServer
  let close: () => Promise<void>
  beforeAll(async () => {
    const [one] = records()
    for (const id of ['writers', 'others']) await one!.store.teams.insert({ id, name: id, createdAt: 1 })
    for (const [id, teamId] of [
      ['ada', 'writers'],
      ['bob', 'writers'],
      ['eve', 'others'],
    ] as const)
      await one!.store.agents.insert(newAgent(id, { teamId }))
    ;({ server, close } = await openMcpServer(one!))
  })
  afterAll(() => close())
  return () => server
}

export const ERAS = [
  ['2025', { mode: 'legacy' }],
  ['2026', { mode: 'auto' }],
] as const

/** A real SDK client with the credential as a bearer token. */
export async function connectClient(
  url: string,
  credential: string,
  versionNegotiation: (typeof ERAS)[number][1],
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  const headers = { authorization: `Bearer ${credential}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

async function openMcpServer(records: TestRecords): Promise<{ server: TestMcpServer; close: () => Promise<void> }> {
  const { store, log } = records
  const home = await temporaryHome()
  const token = await openOperatorToken(home)
  const listening = await listen({ host: '127.0.0.1', port: 0, searchOn: false })
  const grants = createGrants(store)
  token.onRotate(() => void grants.revokeAll('token_rotated'))
  const fixture = createFixtureTable()
  const tables = createTestTables(records, grants)
  const servers: McpServers = createMcpServers({ ...tables.loaders, fixture: async () => fixture }, grants, log)
  const credentials = createCredentials(token, createSignIn(token), grants, { port: listening.port, secure: false })
  const mcp = { servers, identify: createMcpCallers(grants, credentials) }
  // No request here may reach an operation, so there are no handlers.
  const app = createApp({ handlers: {} as Handlers, credentials, mcp, pageFolder: home, log })
  listening.serve(app, createRequestGuard({ host: '127.0.0.1', port: listening.port, publicUrl: null }))
  const readToken = async () => (await readFile(join(home, 'token'), 'utf8')).trim()
  let current = await readToken()
  let runs = 0
  const server: TestMcpServer = {
    url: `http://127.0.0.1:${listening.port}`,
    get token() {
      return current
    },
    grants,
    servers,
    fixture,
    tables,
    records,
    async rotate() {
      await token.rotate()
      current = await readToken()
    },
    async startRun(agentId, teamId, more = {}) {
      const runId = `run-${++runs}`
      await store.runs.insert(newRun(runId, { agentId, teamId }))
      const tools = await servers.toolNames()
      const room = teamId === null ? null : `team:${teamId}`
      const { secret } = await grants.issue({ runId, agentId, teamId, roomId: room, taskId: null, tools, ...more })
      const end = { outcome: 'completed', reason: null, text: '', endedAt: 9 } as const
      return { runId, secret, end: async () => void (await store.runs.end(runId, 'home-1', end)) }
    },
  }
  return { server, close: () => closeAll(listening, servers, home) }
}

async function closeAll(listening: Listening, servers: McpServers, home: string): Promise<void> {
  await listening.close(500)
  await servers.close()
  await removeHome(home)
}
