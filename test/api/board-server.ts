import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@clawboo/api/client'
import { planDispatch } from '@clawboo/core/board'
import { afterAll, beforeAll, describe } from 'vitest'
import { createGrants, type Grants } from '../../packages/server/src/access/grants.ts'
import { openOperatorToken } from '../../packages/server/src/access/operator-token.ts'
import { createRequestGuard } from '../../packages/server/src/access/request-guard.ts'
import { createSignIn } from '../../packages/server/src/access/sign-in.ts'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { createBoardView } from '../../packages/server/src/board/board-view.ts'
import { type Claims, createClaims } from '../../packages/server/src/board/claims.ts'
import { createReports, type Reports } from '../../packages/server/src/board/reports.ts'
import { createTasks, type Tasks } from '../../packages/server/src/board/tasks.ts'
import { readWaitingTasks } from '../../packages/server/src/executor/dispatch/read-candidates.ts'
import { createTaskReviews } from '../../packages/server/src/executor/reviews/task-reviews.ts'
import { createWorktreeLocks } from '../../packages/server/src/executor/reviews/worktree-locks.ts'
import { openWorktrees, type Worktrees } from '../../packages/server/src/executor/worktrees/worktrees.ts'
import { createApp, type Handlers } from '../../packages/server/src/http/app.ts'
import { createCredentials } from '../../packages/server/src/http/credentials.ts'
import { listen } from '../../packages/server/src/http/listen.ts'
import { createMcpCallers } from '../../packages/server/src/http/mcp-callers.ts'
import { boardRoutes, type DispatchPort } from '../../packages/server/src/http/routes/board.ts'
import { teamRoutes } from '../../packages/server/src/http/routes/teams.ts'
import { openEventLog } from '../../packages/server/src/live/event-log.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createMcpServers } from '../../packages/server/src/mcp/mcp-servers.ts'
import { testProcesses } from '../../packages/server/src/processes/test-processes.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { createTeamProjects } from '../../packages/server/src/registry/team-projects.ts'
import { createTeams } from '../../packages/server/src/registry/teams.ts'
import { newAgent } from '../../packages/server/src/store/contract/agents-contract.ts'
import { openStore, type Store, type StoreOptions } from '../../packages/server/src/store/open-store.ts'
import { type TestEngine, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { removeHome, temporaryHome } from '../server-process.ts'

/** The product's app, guard and credentials over a real board, without the dispatcher. */
export interface BoardServer {
  readonly home: string
  readonly url: string
  readonly token: string
  readonly client: Client
  readonly store: Store
  readonly tasks: Tasks
  readonly claims: Claims
  readonly reports: Reports
  readonly worktrees: Worktrees
  readonly grants: Grants
  /** The tasks for which a stop of the run was requested. */
  readonly stopped: string[]
  close(): Promise<void>
}

/** Runs a suite once per available engine, each time with its own server. */
export function describeBoardServer(
  title: string,
  suite: (server: () => BoardServer, engine: TestEngine) => void,
): void {
  describe.each(testEngines())(`${title} on $engine`, (engine) => {
    suite(useBoardServer(engine), engine)
  })
}

/** One server for a whole test file. Call the returned function inside tests only. */
export function useBoardServer({ createDatabase }: TestEngine): () => BoardServer {
  let server: BoardServer
  let dispose = async () => {}
  beforeAll(async () => {
    const database = await createDatabase()
    server = await openBoardServer(database.options)
    dispose = async () => {
      await server.close()
      await database.dispose()
    }
  })
  afterAll(() => dispose())
  return () => server
}

export async function openBoardServer(options: StoreOptions): Promise<BoardServer> {
  const home = await temporaryHome()
  const store = await openStore(options)
  const eventLog = await openEventLog(store)
  const record = createRecordChange(store, eventLog)
  const log = createLog('silent')
  const board = { store, record, lines: createBoardLines(log) }
  const tasks = createTasks(board)
  const worktrees = await openWorktrees({
    root: join(home, 'worktrees'),
    path: process.env.PATH!,
    confinement: testProcesses().confinement,
  })
  const reviews = createTaskReviews({
    store,
    tasks,
    worktrees,
    locks: createWorktreeLocks(),
    instance: INSTANCE,
  })
  const stopped: string[] = []
  const parts = { view: createBoardView(store), tasks, dispatch: createPlanOnly(store, stopped), reviews }
  const teams = createTeams(store, record, async () => null)
  const handlers = {
    ...teamRoutes({ teams, projects: createTeamProjects({ store, record, home }) }),
    ...boardRoutes(parts),
  } as Partial<Handlers> as Handlers
  const token = await openOperatorToken(home)
  const listening = await listen({ host: '127.0.0.1', port: 0, searchOn: false })
  const { port } = listening
  const grants = createGrants(store)
  const credentials = createCredentials(token, createSignIn(token), grants, { port, secure: false })
  const servers = createMcpServers({}, grants, log)
  const mcp = { servers, identify: createMcpCallers(grants, credentials) }
  const app = createApp({ handlers, credentials, mcp, pageFolder: home, log })
  listening.serve(app, createRequestGuard({ host: '127.0.0.1', port, publicUrl: null }))
  const url = `http://127.0.0.1:${port}`
  const secret = (await readFile(join(home, 'token'), 'utf8')).trim()
  return {
    home,
    url,
    token: secret,
    client: createClient({ baseUrl: url, token: secret }),
    store,
    tasks,
    worktrees,
    grants,
    stopped,
    claims: createClaims({ ...board, instance: INSTANCE }),
    reports: createReports(board),
    async close() {
      await listening.close(500)
      await servers.close()
      await eventLog.close()
      await store.close()
      await removeHome(home)
    },
  }
}

const INSTANCE = 'home-1'

let made = 0

/** Creates a team with one agent directly in the store. */
export async function makeTeam({ store }: BoardServer): Promise<{ teamId: string; agentId: string }> {
  const [teamId, agentId] = [`team-${++made}`, `agent-${made}`]
  await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
  await store.agents.insert(newAgent(agentId, { teamId }))
  return { teamId, agentId }
}

/** Claims a task for its agent as the dispatcher does. */
export async function claimTask({ claims }: BoardServer, taskId: string, agentId: string) {
  const by = { kind: 'agent', id: agentId } as const
  const outcome = await claims.claim({ taskId, expects: by, by, runtime: 'runtime-a' })
  if (!outcome.claimed) throw new Error(`not claimed: ${outcome.reason}`)
  return outcome.attempt
}

/** Plans tasks as the product does, but starts none. */
function createPlanOnly(store: Store, stopped: string[]): DispatchPort {
  return {
    async queue(teamId) {
      const waiting = await readWaitingTasks(store, { teamId, limit: 1000 })
      const candidates = waiting.map(({ task, readiness, fruitlessAttempts }) => {
        const { assignee } = task
        const known =
          assignee?.kind === 'agent'
            ? ({ kind: 'agent', id: assignee.id, name: assignee.id, runtime: 'r', dispatchable: true } as const)
            : assignee && ({ kind: 'person', name: assignee.id } as const)
        return { task, readiness, fruitlessAttempts, assignee: known }
      })
      return planDispatch(candidates, []).waits
    },
    async stopTask(taskId) {
      stopped.push(taskId)
      return true
    },
    poke: () => {},
  }
}
