import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { catalogueOf, createMemoryRuntimeAdapter, type DescribedAdapter } from '@clawboo/core/contract'
import { type RuntimeEvent, RuntimeRegistry } from '@clawboo/core/executor'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { createClaims } from '../../packages/server/src/board/claims.ts'
import { createReports } from '../../packages/server/src/board/reports.ts'
import { createRunVerdicts } from '../../packages/server/src/board/run-verdicts.ts'
import { createTasks, type Tasks } from '../../packages/server/src/board/tasks.ts'
import { createAttention } from '../../packages/server/src/executor/attention/attention.ts'
import { createConversations } from '../../packages/server/src/executor/conversations/conversations.ts'
import { createDispatcher } from '../../packages/server/src/executor/dispatch/dispatcher.ts'
import { createLimits } from '../../packages/server/src/executor/limits/limits.ts'
import { createWorktreeLocks } from '../../packages/server/src/executor/reviews/worktree-locks.ts'
import { openRunService } from '../../packages/server/src/executor/run/run-service.ts'
import { createRunStreams } from '../../packages/server/src/executor/run/run-streams.ts'
import { settleDeadRuns } from '../../packages/server/src/executor/run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../../packages/server/src/executor/run/test-run-inputs.ts'
import { openWorktrees } from '../../packages/server/src/executor/worktrees/worktrees.ts'
import { openEventLog } from '../../packages/server/src/live/event-log.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { testProcesses } from '../../packages/server/src/processes/test-processes.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { openDb } from '../../packages/server/src/store/open-db.ts'
import { type Store, type StoreOptions, storeOn } from '../../packages/server/src/store/open-store.ts'
import { createRepositories } from '../../packages/server/src/store/repositories.ts'
import type { Db } from '../../packages/server/src/store/sql.ts'
import { readOrder } from './doomed-worker.ts'
import { type Death, mortal } from './mortal-db.ts'
import { createRandom, type Random } from './random.ts'

/** The order for one server process, as JSON in its first argument. */
export interface DispatchOrder {
  readonly options: StoreOptions
  readonly teamId: string
  readonly instance: string
  readonly seed: number
  /** The folder of its worktrees. */
  readonly worktrees: string
  /** The folder for a mark while it works on a task. */
  readonly marks: string
  /** The point at which the process kills itself, counted from the first claim; 0 for never. */
  readonly dieAt: number
  /** Whether frames of the runtime are dropped and repeated. */
  readonly noise: boolean
}

/** The output of a process, one line each. */
export type DispatchSaid =
  | { readonly kept: string; readonly attempt: number; readonly outcome: string }
  /** Another attempt was active at the same time. */
  | { readonly twice: string }

export interface ServerSetting {
  readonly instance: string
  readonly worktrees: string
  readonly marks: string
  readonly noise: Random | null
  readonly onPoint?: (at: string) => void
  readonly say?: (line: DispatchSaid) => void
}

export interface ChaosServer {
  readonly store: Store
  readonly tasks: Tasks
  close(): Promise<void>
}

/** A server as far as tasks need one, on a database whose process may die. */
export async function openServer(db: Db, setting: ServerSetting): Promise<ChaosServer> {
  const { instance, worktrees, onPoint, say = () => {} } = setting
  const store = storeOn(db)
  const log = createLog('silent')
  const eventLog = await openEventLog(store)
  const record = createRecordChange(store, eventLog)
  const lines = createBoardLines(log)
  const board = { store, record, lines }
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(markingRuntime(setting)))
  const attention = createAttention({ store, record, log })
  const limits = createLimits(store, record)
  const streams = createRunStreams()
  const parts = { store, record, runtimes, attention, limits, streams, log, instance, prepareInput: NO_RUN_INPUT }
  await settleDeadRuns(record, instance)
  const runs = openRunService(parts)
  const conversations = createConversations({ ...parts, runs })
  const tasks = createTasks(board)
  const reports = createReports(board)
  const dispatcher = createDispatcher({
    ...parts,
    runs,
    tasks,
    claims: createClaims({ ...board, instance }),
    reports: {
      ...reports,
      async submit(report) {
        const { attemptId, attempt, outcome } = report
        const refused = await reports.write(report)
        // The report is stored, so it must not be lost from now on.
        if (refused === null) say({ kept: attemptId, attempt, outcome })
        return reports.submit(report)
      },
    },
    lines,
    worktrees: await openWorktrees({
      root: worktrees,
      path: process.env.PATH!,
      confinement: testProcesses().confinement,
      onStep: (step) => onPoint?.(step),
    }),
    locks: createWorktreeLocks(),
    worktreeRoot: worktrees,
    slots: conversations.slots,
    verdicts: createRunVerdicts(),
    // So high that no trial ends because a server gives up.
    dispatchLimits: { perRuntime: 8, perServer: 8, fruitlessAttempts: 1_000 },
    pollMs: 50,
    onStep: (step) => onPoint?.(step),
  })
  await conversations.recover()
  await dispatcher.start()
  return {
    store,
    tasks,
    async close() {
      await dispatcher.close()
      await conversations.close()
      runs.close()
      streams.close()
      attention.close()
      limits.close()
      await eventLog.close()
    },
  }
}

/** The reference runtime; writes into its folder and detects another attempt at the same task. */
function markingRuntime({ marks, noise, say = () => {} }: ServerSetting): DescribedAdapter {
  const claims = {
    streaming: true,
    resume: true,
    worktrees: true,
    asksBeforeModelCall: true,
    runtimeClass: 'native',
  } as const
  const memory = createMemoryRuntimeAdapter({ claims })
  const places = new Map<string, string>()
  mkdirSync(marks, { recursive: true })
  return {
    ...memory,
    async start(task, options) {
      const taskId = task.sessionKey.split(':task:')[1]!
      const mark = join(marks, taskId)
      if (isMarkedByLiving(mark)) say({ twice: taskId })
      writeFileSync(mark, String(process.pid))
      places.set(options.runId, mark)
      if (options.folder) writeFileSync(join(options.folder, 'work.txt'), `${options.runId}\n`)
      return memory.start({ ...task, prompt: { ...task.prompt, text: 'work' } }, options)
    },
    async *events(run) {
      try {
        for await (const event of memory.events(run)) yield* noise ? noisy(event, noise) : [event]
      } finally {
        rmSync(places.get(run.runId)!, { force: true })
      }
    },
  }
}

function* noisy(event: RuntimeEvent, noise: Random): Generator<RuntimeEvent> {
  const luck = noise.below(12)
  if (luck === 0) return
  yield event
  if (luck < 4) yield event
}

function isMarkedByLiving(mark: string): boolean {
  try {
    process.kill(Number(readFileSync(mark, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

async function main(): Promise<void> {
  const order = readOrder<DispatchOrder>()
  const random = createRandom(order.seed)
  let left = -1
  const die: Death = {
    before: random.below(2) === 0,
    isNext: () => left > 0 && --left === 0,
    now: () => void process.kill(process.pid, 'SIGKILL'),
  }
  const db = await openDb(order.options)
  const onPoint = (at: string) => {
    if (at === 'claim' && left === -1) left = order.dieAt
    if (die.isNext()) die.now()
  }
  const say = (line: DispatchSaid) => void writeSync(1, `${JSON.stringify(line)}\n`)
  const noise = order.noise ? random : null
  const server = await openServer(mortal(db, die), { ...order, noise, onPoint, say })
  const plain = createRepositories(db)
  // Does not wait for attempts of another server that died.
  const isBusy = async () =>
    (await plain.tasks.column(order.teamId, 'todo', { limit: 1 })).length > 0 ||
    (await plain.attempts.underWay()).some(({ owner }) => owner === order.instance)
  while (await isBusy()) await sleep(20)
  await server.close()
  process.exit(0)
}

if (import.meta.main) await main()
