import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { createTasks, type Tasks } from '../../packages/server/src/board/tasks.ts'
import { commitAll, makeRepository } from '../../packages/server/src/executor/worktrees/test-project.ts'
import { type EventLog, openEventLog } from '../../packages/server/src/live/event-log.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { newAgent } from '../../packages/server/src/store/contract/agents-contract.ts'
import { openStore, type Store } from '../../packages/server/src/store/open-store.ts'
import { sql } from '../../packages/server/src/store/sql.ts'
import { createSqliteDatabase, type TestDatabase } from '../../packages/server/src/store/test-stores.ts'
import { isSoak, testSeed } from '../seed.ts'
import { type DispatchOrder, type DispatchSaid, openServer } from './dispatch-worker.ts'
import { runWorker } from './doomed-worker.ts'
import { createRandom, type Random } from './random.ts'

/** In each trial, one server dies, or two at once. */
const TRIALS = isSoak ? 2_000 : 16
const TASKS = 3
/** Roughly the number of points that a server passes for its share of the tasks. */
const POINTS = 130
const LOOK_MS = 10
const MOST_LOOKS = 6_000
const LIMIT_MS = isSoak ? 4 * 3_600_000 : 600_000
const OPERATOR = { kind: 'operator' } as const

interface Setup {
  readonly folder: string
  readonly database: TestDatabase
  readonly store: Store
  readonly log: EventLog
  readonly tasks: Tasks
}

interface Trial {
  readonly teamId: string
  readonly ids: readonly string[]
  readonly folder: string
  readonly seeded: string
}

describe('Servers that are killed while agents work on tasks', () => {
  let setup: Setup
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clawboo-dispatch-chaos-'))
    const database = await createSqliteDatabase()
    const store = await openStore(database.options)
    const log = await openEventLog(store)
    const board = { store, record: createRecordChange(store, log), lines: createBoardLines(createLog('silent')) }
    setup = { folder, database, store, log, tasks: createTasks(board) }
    await store.agents.insert(newAgent('ada', { runtime: 'memory' }))
    await store.agents.insert(newAgent('bob', { runtime: 'memory' }))
  })
  afterAll(async () => {
    await setup.log.close()
    await setup.store.close()
    await setup.database.dispose()
    rmSync(setup.folder, { recursive: true, force: true })
  })

  it(
    `[DI32] ${TRIALS} times: nothing is stuck, no completion is lost, and no task has two active attempts`,
    async () => {
      const random = createRandom(testSeed)
      let kills = 0
      for (let n = 0; n < TRIALS; n++) {
        const trial = await makeTrial(setup, n, random)
        const servers = random.below(3) === 0 ? 2 : 1
        const orders = Array.from({ length: servers }, (_, at) => orderFor(setup, trial, `doomed-${at}`, random))
        const ended = await Promise.all(orders.map((order) => runWorker<DispatchSaid>('dispatch-worker.ts', order)))
        kills += ended.filter(({ killed }) => killed).length
        const output = ended.flatMap((one) => one.said)
        expect(
          output.filter((line) => 'twice' in line),
          trial.seeded,
        ).toEqual([])
        await expectRecovery(setup, trial, output, random)
        rmSync(trial.folder, { recursive: true, force: true })
      }
      expect(kills, `seed ${testSeed}`).toBeGreaterThan(TRIALS / 3)
    },
    LIMIT_MS,
  )
})

async function makeTrial({ store, tasks, folder }: Setup, n: number, random: Random): Promise<Trial> {
  const teamId = `trial-${n}`
  const own = join(folder, teamId)
  const changesFiles = random.below(5) === 0
  await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
  if (changesFiles) await store.teams.setProject(teamId, { folder: makeProject(own), checkCommand: 'true' }, 1)
  const ids: string[] = []
  for (let at = 0; at < TASKS; at++) {
    const assignee = { kind: 'agent', id: at === 0 ? 'ada' : 'bob' } as const
    ids.push((await tasks.create({ teamId, title: `Task ${at}`, assignee, changesFiles }, OPERATOR)).id)
  }
  return { teamId, ids, folder: own, seeded: `seed ${testSeed}, trial ${n}` }
}

function makeProject(folder: string): string {
  const project = makeRepository(join(folder, 'project'))
  writeFileSync(join(project, 'moss.txt'), 'brown\n')
  commitAll(project)
  return project
}

function orderFor({ database }: Setup, { teamId, folder }: Trial, instance: string, random: Random): DispatchOrder {
  return {
    options: database.options,
    teamId,
    instance,
    seed: random.below(2 ** 31),
    worktrees: join(folder, instance),
    marks: join(folder, 'marks'),
    dieAt: 1 + random.below(POINTS),
    noise: random.below(2) === 0,
  }
}

/** Starts the server that died at once, or another one after a lease, and checks that it finishes all tasks. */
async function expectRecovery(
  setup: Setup,
  trial: Trial,
  output: readonly DispatchSaid[],
  random: Random,
): Promise<void> {
  const { store } = setup
  const { ids, seeded, folder } = trial
  const before = await store.attempts.ofTasks(ids)
  const instance = random.below(2) === 0 ? 'doomed-0' : 'survivor'
  // The leases of other servers expire first. The server does not wait for its own.
  await store.db.run(sql`UPDATE attempts SET lease_until = now_ms() - 1 WHERE owner_instance <> ${instance}`)
  await store.db.run(sql`UPDATE runs SET lease_until = now_ms() - 1 WHERE owner_instance <> ${instance}`)
  const twice: DispatchSaid[] = []
  const server = await openServer(store.db, {
    instance,
    worktrees: join(folder, instance),
    marks: join(folder, 'marks'),
    noise: null,
    say: (line) => 'twice' in line && twice.push(line),
  })
  await untilReviewed(store, ids, seeded)
  await server.close()
  expect(twice, seeded).toEqual([])
  for (const task of await store.tasks.getMany(ids)) await expectOneCompletion(store, task, seeded)
  const after = await store.attempts.ofTasks(ids)
  // A stored completion is final: its task has no later attempt.
  for (const line of output) {
    if (!('kept' in line) || line.outcome !== 'completed') continue
    const { taskId } = after.find(({ id }) => id === line.kept)!
    expect(
      after.filter((one) => one.taskId === taskId && one.number > line.attempt),
      seeded,
    ).toEqual([])
  }
  for (const { worktree } of before) if (worktree) expect(existsSync(worktree.path), seeded).toBe(true)
  const running = await store.runs.list({ state: 'running', limit: 9 })
  expect(running, seeded).toEqual([])
}

/** Waits until all tasks are in review. Fails at a blocked or cancelled task, which would need a person. */
async function untilReviewed(store: Store, ids: readonly string[], seeded: string): Promise<void> {
  const isStuck = ({ status }: { status: string }) => status === 'blocked' || status === 'cancelled'
  for (let look = 0; look < MOST_LOOKS; look++) {
    const tasks = await store.tasks.getMany(ids)
    if (tasks.every(({ status }) => status === 'in_review')) return
    expect(tasks.filter(isStuck), seeded).toEqual([])
    await sleep(LOOK_MS)
  }
  expect.fail(`${seeded}: ${JSON.stringify(await store.tasks.getMany(ids))}`)
}

async function expectOneCompletion(
  store: Store,
  task: { readonly id: string; readonly attemptId: string | null },
  seeded: string,
): Promise<void> {
  expect(task.attemptId, seeded).toBeNull()
  const attempts = await store.attempts.ofTasks([task.id])
  expect(
    attempts.filter(({ state }) => state === 'running'),
    seeded,
  ).toEqual([])
  const reports = await Promise.all(attempts.map(({ id }) => store.taskReports.get(id)))
  const completed = reports.filter(
    (report) => report?.report.outcome === 'completed' && report.verdict?.verdict === 'accepted',
  )
  expect(completed, seeded).toHaveLength(1)
}
