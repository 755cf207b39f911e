import type { LiveEvent } from '@clawboo/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { createTasks, type Tasks } from '../../packages/server/src/board/tasks.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { newAgent } from '../../packages/server/src/store/contract/agents-contract.ts'
import { openStore, type Store } from '../../packages/server/src/store/open-store.ts'
import { sql } from '../../packages/server/src/store/sql.ts'
import { type TestDatabase, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { isSoak, testSeed } from '../seed.ts'
import { type BoardOrder, type BoardSaid, openWorker, type Worker, workAll } from './board-worker.ts'
import { runWorker } from './doomed-worker.ts'
import { createRandom, type Random } from './random.ts'
import { sessionsOfTheDead } from './sessions-of-the-dead.ts'

const CLAIMS = isSoak ? 10_000 : 300
/** In each round, two processes are made to die. */
const ROUNDS = isSoak ? 500 : 10
const TASKS_PER_ROUND = 3
/** Roughly the number that one process sends for its share of the tasks, so that a few processes finish. */
const STATEMENTS = 60
const EVENTS_PER_PAGE = 1_000
const LIMIT_MS = isSoak ? 3_600_000 : 240_000

interface Setup {
  readonly store: Store
  readonly tasks: Tasks
  readonly database: TestDatabase
  /** Another server on the same database that outlives the others. */
  readonly survivor: Worker
}

describe.each(testEngines())('the board under many claimers and kills, on $engine', ({ engine, createDatabase }) => {
  let setup: Setup
  beforeAll(async () => {
    const database = await createDatabase()
    const store = await openStore(database.options)
    const survivor = await openWorker('survivor', store.db)
    const lines = createBoardLines(createLog('silent'))
    const tasks = createTasks({ store, record: createRecordChange(store, survivor.log), lines })
    setup = { store, database, tasks, survivor }
    await store.agents.insert(newAgent('ada'))
  })
  afterAll(async () => {
    await setup.survivor.log.close()
    await setup.store.close()
    await setup.database.dispose()
  })

  it(
    `[BO88] 64 claimers in two processes claim ${CLAIMS} tasks, each exactly once`,
    async () => {
      const ids = await makeTasks(setup, 'claims', CLAIMS)
      const orders = [0, 1].map((n) =>
        orderFor(setup, 'claims', { job: 'claim', instance: `home-${n}`, seed: testSeed + n * 100 }),
      )
      const output = (await Promise.all(orders.map((order) => runWorker<BoardSaid>('board-worker.ts', order)))).flatMap(
        (ended) => ended.said,
      )
      const claimed = output.flatMap((line) => ('claimed' in line ? [line.claimed] : []))
      expect(claimed.toSorted(), `seed ${testSeed}`).toEqual(ids.toSorted())
      expect(output.every((line) => !('claimed' in line) || line.attempt === 1)).toBe(true)
      const lost = output.reduce((sum, line) => sum + ('lost' in line ? line.lost : 0), 0)
      // No claimer tries the same task twice, which bounds the number of lost claims.
      expect(lost, `seed ${testSeed}`).toBeLessThanOrEqual(63 * CLAIMS)
      expect(await setup.store.attempts.underWay()).toHaveLength(CLAIMS)
    },
    LIMIT_MS,
  )

  it(
    `[BO89] ${2 * ROUNDS} processes killed anywhere between claim and report leave nothing stuck, nothing lost and nothing done twice`,
    async () => {
      const random = createRandom(testSeed)
      let kills = 0
      for (let round = 0; round < ROUNDS; round++) {
        const teamId = `kills-${round}`
        const ids = await makeTasks(setup, teamId, TASKS_PER_ROUND)
        const since = await setup.store.events.lastSeq()
        const orders = [0, 1].map((n) =>
          orderFor(setup, teamId, {
            job: 'work',
            instance: `doomed-${n}`,
            seed: random.below(2 ** 31),
            dieAt: 1 + random.below(STATEMENTS),
          }),
        )
        const lastWords = await sessionsOfTheDead(setup.store.db, engine === 'postgres')
        const ended = await Promise.all(orders.map((order) => runWorker<BoardSaid>('board-worker.ts', order)))
        await lastWords()
        kills += ended.filter(({ killed }) => killed).length
        const output = ended.flatMap((one) => one.said)
        const seeded = `seed ${testSeed}, round ${round}`
        await expectRecovery(setup, teamId, output, random, seeded)
        await expectAllDone(setup, teamId, ids, since, seeded)
      }
      expect(kills, `seed ${testSeed}`).toBeGreaterThan(ROUNDS / 2)
    },
    LIMIT_MS,
  )
})

async function makeTasks({ store, tasks }: Setup, teamId: string, count: number): Promise<string[]> {
  await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const task = { teamId, title: `Task ${n}`, assignee: { kind: 'agent', id: 'ada' } } as const
    ids.push((await tasks.create(task, { kind: 'operator' })).id)
  }
  return ids
}

function orderFor(
  { database }: Setup,
  teamId: string,
  order: Pick<BoardOrder, 'job' | 'instance' | 'seed'> & { readonly dieAt?: number },
): BoardOrder {
  return { options: database.options, teamId, clients: 32, dieAt: 0, ...order }
}

/** Checks that after one lease every task is free or in review, whether leases expire or reports are read first. */
async function expectRecovery(
  { store, survivor }: Setup,
  teamId: string,
  output: readonly BoardSaid[],
  random: Random,
  seeded: string,
): Promise<void> {
  await store.db.run(sql`UPDATE attempts SET lease_until = now_ms() - 1
    WHERE state = 'running' AND task_id IN (SELECT id FROM tasks WHERE team_id = ${teamId})`)
  const isReadFirst = random.below(2) === 0
  if (isReadFirst) await survivor.reports.applyUnread()
  await survivor.claims.expire()
  if (!isReadFirst) await survivor.reports.applyUnread()
  const kept = new Set(output.flatMap((line) => ('kept' in line ? [line.kept] : [])))
  for (const status of ['in_progress', 'blocked', 'done', 'cancelled', 'backlog'] as const)
    expect(await store.tasks.column(teamId, status, { limit: 9 }), seeded).toEqual([])
  // Completed tasks stay completed and get no second attempt.
  for (const task of await store.tasks.getMany([...kept]))
    expect(task, seeded).toMatchObject({ status: 'in_review', attempts: 1, costUsd: 0.5 })
}

/** The surviving server finishes the rest: each task once, with its events in the feed. */
async function expectAllDone(
  { store, survivor }: Setup,
  teamId: string,
  ids: readonly string[],
  since: number,
  seeded: string,
): Promise<void> {
  await workAll(survivor, teamId, createRandom(1), () => {})
  const events = await eventsAfter(store, since)
  for (const task of await store.tasks.getMany(ids)) {
    expect(task, seeded).toMatchObject({ status: 'in_review', attemptId: null })
    const attempts = await store.attempts.ofTasks([task.id])
    const reports = await Promise.all(attempts.map(({ id }) => store.taskReports.get(id)))
    const accepted = reports.filter((report) => report?.verdict?.verdict === 'accepted')
    expect(accepted, seeded).toHaveLength(1)
    const unread = await store.db.get<{ n: number }>(sql`SELECT unread_reports AS n FROM tasks WHERE id = ${task.id}`)
    expect(unread?.n, seeded).toBe(0)
    const told = events.filter((event) => event.type === 'task-changed' && event.task.id === task.id)
    expect(told.at(-1), seeded).toMatchObject({ task: { status: 'in_review', attempts: task.attempts } })
  }
}

/** Reads all events: the leases of ten thousand tasks may have expired meanwhile, each with an event. */
async function eventsAfter(store: Store, since: number): Promise<LiveEvent[]> {
  const events: LiveEvent[] = []
  for (let seq = since; ; ) {
    const page = await store.events.after(seq, EVENTS_PER_PAGE)
    events.push(...page.map(({ body }) => JSON.parse(body) as LiveEvent))
    if (page.length < EVENTS_PER_PAGE) return events
    seq = page.at(-1)!.seq
  }
}
