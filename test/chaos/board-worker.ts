import { writeSync } from 'node:fs'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { type Claims, createClaims } from '../../packages/server/src/board/claims.ts'
import { createReports, type Reports } from '../../packages/server/src/board/reports.ts'
import { readWaitingTasks } from '../../packages/server/src/executor/dispatch/read-candidates.ts'
import { type EventLog, openEventLog } from '../../packages/server/src/live/event-log.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { openDb } from '../../packages/server/src/store/open-db.ts'
import { type Store, type StoreOptions, storeOn } from '../../packages/server/src/store/open-store.ts'
import type { Db } from '../../packages/server/src/store/sql.ts'
import { readOrder } from './doomed-worker.ts'
import { type Death, mortal } from './mortal-db.ts'
import { createRandom, type Random } from './random.ts'

/** The order for one process, as JSON in its first argument. */
export interface BoardOrder {
  readonly options: StoreOptions
  readonly teamId: string
  readonly job: 'claim' | 'work'
  readonly instance: string
  readonly seed: number
  /** The number of concurrent claimers. */
  readonly clients: number
  /** The statement at which the process kills itself, counted from the first claim; 0 for never. */
  readonly dieAt: number
}

/** The output of a process, one line each. */
export type BoardSaid =
  | { readonly claimed: string; readonly attempt: number }
  /** The report is stored, so the completion must not be lost from now on. */
  | { readonly kept: string }
  | { readonly lost: number }

export interface Worker {
  readonly store: Store
  readonly claims: Claims
  readonly reports: Reports
  readonly log: EventLog
}

export async function openWorker(instance: string, db: Db): Promise<Worker> {
  const store = storeOn(db)
  const log = await openEventLog(store)
  const board = { store, record: createRecordChange(store, log), lines: createBoardLines(createLog('silent')) }
  return { store, claims: createClaims({ ...board, instance }), reports: createReports(board), log }
}

/** Claims tasks until none is in To do. Does not retry a lost claim. */
async function claimAll(worker: Worker, order: BoardOrder, random: Random): Promise<number> {
  const reported = new Set<string>()
  let lost = 0
  for (;;) {
    const page = await worker.store.tasks.toDo({ teamId: order.teamId, limit: 100 })
    const open = page.filter(({ id }) => !reported.has(id))
    if (open.length === 0) return lost
    const { id: taskId, assignee } = open[random.below(open.length)]!
    const outcome = await worker.claims.claim({ taskId, expects: assignee, by: assignee!, runtime: null })
    reported.add(taskId)
    if (outcome.claimed) say({ claimed: taskId, attempt: outcome.attempt.number })
    else lost++
  }
}

/** Works from claim to report, then on the next task. */
export async function workAll(worker: Worker, teamId: string, random: Random, tell = say): Promise<void> {
  for (;;) {
    const waiting = await readWaitingTasks(worker.store, { teamId, limit: 100 })
    if (waiting.length === 0) return
    const { task } = waiting[random.below(waiting.length)]!
    const assignee = task.assignee!
    const outcome = await worker.claims.claim({ taskId: task.id, expects: assignee, by: assignee, runtime: null })
    if (!outcome.claimed) continue
    const { id, number: attempt } = outcome.attempt
    tell({ claimed: task.id, attempt })
    await worker.claims.note(id, { runId: `run-${id}` })
    await worker.claims.renew({ id, number: attempt })
    const report = {
      attemptId: id,
      attempt,
      outcome: 'completed',
      reason: null,
      costUsd: 0.5,
      at: Date.now(),
    } as const
    await worker.reports.write(report)
    tell({ kept: task.id })
    // Frames may arrive twice, and another process may read the outbox meanwhile.
    if (random.below(2) === 0) await worker.reports.applyUnread()
    await worker.reports.submit(report)
    if (random.below(2) === 0) await worker.reports.submit(report)
  }
}

function say(line: BoardSaid): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

async function main(): Promise<void> {
  const order = readOrder<BoardOrder>()
  const random = createRandom(order.seed)
  let left = 0
  const die: Death = {
    before: random.below(2) === 0,
    isNext: () => left > 0 && --left === 0,
    now: () => void process.kill(process.pid, 'SIGKILL'),
  }
  const worker = await openWorker(order.instance, mortal(await openDb(order.options), die))
  left = order.dieAt
  if (order.job === 'work') await workAll(worker, order.teamId, random)
  else {
    const clients = Array.from({ length: order.clients }, (_, n) =>
      claimAll(worker, order, createRandom(order.seed + n)),
    )
    say({ lost: (await Promise.all(clients)).reduce((sum, lost) => sum + lost, 0) })
  }
  process.exit(0)
}

if (import.meta.main) await main()
