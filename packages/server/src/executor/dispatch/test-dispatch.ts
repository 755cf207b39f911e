import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BoardTask } from '@clawboo/core/board'
import {
  catalogueOf,
  createMemoryRuntimeAdapter,
  type DescribedAdapter,
  emptyRuntimeState,
  type RuntimeScript,
  scriptPrompt,
} from '@clawboo/core/contract'
import { type Capabilities, RuntimeRegistry, type StartOptions } from '@clawboo/core/executor'
import { onTestFinished } from 'vitest'
import { createBoardLines } from '../../board/board-change.ts'
import { createClaims } from '../../board/claims.ts'
import type { NewTask } from '../../board/create-task.ts'
import { createReports, type Reports } from '../../board/reports.ts'
import { createRunVerdicts, type RunVerdictBook } from '../../board/run-verdicts.ts'
import { createTasks, type Tasks } from '../../board/tasks.ts'
import { testProcesses } from '../../processes/test-processes.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import type { StoredAttempt } from '../../store/repositories/board/attempts-repository.ts'
import { sql } from '../../store/sql.ts'
import { type Attention, createAttention } from '../attention/attention.ts'
import { type Conversations, createConversations } from '../conversations/conversations.ts'
import { createLimits } from '../limits/limits.ts'
import { createWorktreeLocks } from '../reviews/worktree-locks.ts'
import { openRunService } from '../run/run-service.ts'
import { createRunStreams } from '../run/run-streams.ts'
import type { RunTools } from '../run/run-tools.ts'
import { settleDeadRuns } from '../run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../run/test-run-inputs.ts'
import type { TestRecords } from '../test-records.ts'
import { openWorktrees } from '../worktrees/worktrees.ts'
import type { DispatchServices } from './dispatch-services.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'

export const OPERATOR = { kind: 'operator' } as const

const CLAIMS: Partial<Capabilities> = {
  streaming: true,
  resume: true,
  steering: true,
  toolApproval: true,
  worktrees: true,
  mcp: true,
  asksBeforeModelCall: true,
  runtimeClass: 'native',
}

/** The reference runtime. It plays the script that a prompt contains at any place, and records each start. */
export interface TestRuntime {
  readonly adapter: DescribedAdapter
  readonly started: { readonly agentId: string; readonly prompt: string; readonly options: StartOptions }[]
  /** Ends the tool calls that wait for this. */
  release(): void
}

export function testRuntime(
  claims: Partial<Capabilities> = CLAIMS,
  atStart: (options: StartOptions) => Promise<void> | void = () => {},
  id = 'memory',
): TestRuntime {
  const state = emptyRuntimeState()
  const memory = createMemoryRuntimeAdapter({ claims, state, id })
  const started: TestRuntime['started'] = []
  const adapter: DescribedAdapter = {
    ...memory,
    async start(task, options) {
      const { id: promptId, text } = task.prompt
      started.push({ agentId: task.agent.id, prompt: text, options })
      await atStart(options)
      const script = /^Play this script: .*$/m.exec(text)?.[0] ?? text
      return memory.start({ ...task, prompt: { id: promptId, text: script } }, options)
    },
  }
  return { adapter, started, release: () => state.release.resolve() }
}

/** One server with its board, its conversations and its dispatcher, on a real database and a real disk. */
export interface TestServer {
  readonly dispatcher: Dispatcher
  readonly conversations: Conversations
  readonly attention: Attention
  readonly tasks: Tasks
  readonly reports: Reports
  readonly verdicts: RunVerdictBook
  readonly services: DispatchServices
  close(): Promise<void>
}

export async function makeTestFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-dispatch-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export interface ServerOptions extends Partial<Omit<DispatchServices, 'runs'>> {
  readonly runtimesOf?: readonly TestRuntime[]
  readonly tools?: RunTools
}

/** Starts a server like `main.ts`. An earlier server on the same records counts as dead unless its instance differs. */
export async function startServer(records: TestRecords, options: ServerOptions = {}): Promise<TestServer> {
  const { store, record, log } = records
  // All tests of a file share a board: a task that one test leaves in To do would start in the next.
  onTestFinished(async () => void (await store.db.run(sql`UPDATE tasks SET status = 'done'`)))
  const { runtimesOf = [testRuntime()], instance = 'me', ...overrides } = options
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(...runtimesOf.map(({ adapter }) => adapter)))
  const lines = createBoardLines(log)
  const board = { store, record, lines }
  const worktreeRoot = options.worktreeRoot ?? join(await makeTestFolder(), 'worktrees')
  const base = {
    store,
    record,
    runtimes,
    log,
    instance,
    attention: createAttention({ store, record, log }),
    limits: createLimits(store, record),
    streams: createRunStreams(),
    ...(options.tools ? { tools: options.tools } : {}),
  }
  await settleDeadRuns(record, instance)
  const runs = openRunService({ ...base, prepareInput: NO_RUN_INPUT })
  const conversations = createConversations({ ...base, runs })
  const tasks = createTasks(board)
  const reports = createReports(board)
  const services: DispatchServices = {
    ...base,
    runs,
    tasks,
    claims: createClaims({ ...board, instance }),
    reports,
    lines,
    worktrees: await openWorktrees({
      root: worktreeRoot,
      path: process.env.PATH!,
      confinement: testProcesses().confinement,
    }),
    worktreeRoot,
    locks: createWorktreeLocks(),
    slots: conversations.slots,
    verdicts: createRunVerdicts(),
    ...overrides,
  }
  const dispatcher = createDispatcher(services)
  await conversations.recover()
  await dispatcher.start()
  const close = async () => {
    await dispatcher.close()
    await conversations.close()
    runs.close()
    base.attention.close()
    base.limits.close()
  }
  onTestFinished(close)
  return {
    dispatcher,
    conversations,
    attention: base.attention,
    tasks,
    reports,
    verdicts: services.verdicts,
    services,
    close,
  }
}

/** A team with an agent of the reference runtime. */
export interface TestTeam {
  readonly teamId: string
  readonly agentId: string
  make(server: Pick<TestServer, 'tasks'>, script?: RuntimeScript | string, task?: Partial<NewTask>): Promise<BoardTask>
  get(taskId: string): Promise<BoardTask>
  attempts(taskId: string): Promise<StoredAttempt[]>
  /** Resolves when the task has this status. */
  until(taskId: string, status: BoardTask['status']): Promise<BoardTask>
  /** Resolves when the condition is true. */
  when(condition: () => boolean | Promise<boolean>): Promise<void>
}

let teams = 0

export async function makeTeam(records: TestRecords, runtime = 'memory'): Promise<TestTeam> {
  const { store } = records
  const teamId = `team-${++teams}`
  const agentId = `agent-${teams}`
  await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
  await store.agents.insert(newAgent(agentId, { teamId, runtime }))
  const get = async (taskId: string) => (await store.tasks.get(taskId))!
  const when = async (condition: () => boolean | Promise<boolean>) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    teamId,
    agentId,
    get,
    when,
    make: (server, script = [{ say: 'It is done.' }], task = {}) => {
      const body = typeof script === 'string' ? script : scriptPrompt(script)
      const assignee = { kind: 'agent', id: agentId } as const
      return server.tasks.create({ teamId, title: 'Draft', body, assignee, ...task }, OPERATOR)
    },
    attempts: (taskId) => store.attempts.ofTasks([taskId]),
    async until(taskId, status) {
      await when(async () => (await get(taskId)).status === status)
      return get(taskId)
    },
  }
}
