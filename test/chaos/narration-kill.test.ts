import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { type EventLog, openEventLog } from '../../packages/server/src/live/event-log.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { openStore, type Store } from '../../packages/server/src/store/open-store.ts'
import { type TestDatabase, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { createBoardNarration } from '../../packages/server/src/team-chat/board/board-narration.ts'
import { isSoak, testSeed } from '../seed.ts'
import { runWorker } from './doomed-worker.ts'
import type { NarrationOrder, NarrationSaid } from './narration-worker.ts'
import { createRandom } from './random.ts'

/** In each round, two processes are made to die. */
const ROUNDS = isSoak ? 200 : 6
/** Roughly the number that one process sends. */
const STATEMENTS = 160
const LIMIT_MS = isSoak ? 3_600_000 : 240_000

describe.each(testEngines())('board lines in the room, under kills, on $engine', ({ createDatabase }) => {
  let database: TestDatabase
  let store: Store
  let events: EventLog
  beforeAll(async () => {
    database = await createDatabase()
    store = await openStore(database.options)
    events = await openEventLog(store)
  })
  afterAll(async () => {
    await events.close()
    await store.close()
    await database.dispose()
  })

  it(
    `[TC81] ${2 * ROUNDS} processes killed anywhere between a change and its post lose no line, post none twice and keep the order`,
    async () => {
      const random = createRandom(testSeed)
      let kills = 0
      for (let round = 0; round < ROUNDS; round++) {
        const teamId = `kills-${round}`
        await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
        const since = await store.events.lastSeq()
        const ended = await Promise.all(
          [0, 1].map((n) => {
            const order: NarrationOrder = {
              options: database.options,
              teamId,
              instance: `doomed-${round}-${n}`,
              seed: random.below(2 ** 31),
              dieAt: 1 + random.below(STATEMENTS),
            }
            return runWorker<NarrationSaid>('narration-worker.ts', order)
          }),
        )
        kills += ended.filter(({ killed }) => killed).length
        await tellTheRest(store, events)
        const output = ended.flatMap((one) => one.said)
        await expectAllTold(store, teamId, { since, said: output }, `seed ${testSeed}, round ${round}`)
      }
      expect(kills, `seed ${testSeed}`).toBeGreaterThan(ROUNDS / 2)
    },
    LIMIT_MS,
  )
})

/** Does what the next server does when it starts. */
async function tellTheRest(store: Store, events: EventLog): Promise<void> {
  const log = createLog('silent')
  const record = createRecordChange(store, events)
  const narration = createBoardNarration({ store, record, lines: createBoardLines(log), log })
  await narration.start()
  await narration.settled()
  await narration.close()
}

async function expectAllTold(
  store: Store,
  teamId: string,
  { since, said: output }: { readonly since: number; readonly said: readonly NarrationSaid[] },
  seeded: string,
): Promise<void> {
  expect(await store.boardLines.teams(), seeded).toEqual([])
  const posts = await store.posts.after(`team:${teamId}`, 0, 1000)
  expect(
    posts.map(({ seq }) => seq),
    seeded,
  ).toEqual(posts.map((_, n) => n + 1))
  const told = posts.flatMap(({ kind, body }) => (kind === 'system' ? body.split('\n') : []))
  const log = (await store.events.after(since, 10_000)).map(({ body }) => JSON.parse(body))
  // Each change here affects one task, so the log has one event per change, in commit order.
  const changes = log.filter(({ type, task }) => type === 'task-changed' && task.teamId === teamId)
  const titleOf = (line: string) => /“(.+?)”/.exec(line)?.[1]
  expect(told.map(titleOf), seeded).toEqual(changes.map(({ task }) => task.title))
  const events = log.filter(({ type, post }) => type === 'team-chat-posted' && post.teamId === teamId)
  expect(
    events.map(({ post }) => post.seq),
    seeded,
  ).toEqual(posts.map(({ seq }) => seq))
  for (const words of output) {
    const [verb, title] = [words.split(' ')[0], words.slice(words.indexOf(' ') + 1)]
    const found =
      verb === 'said'
        ? posts.filter(({ body }) => body === words).length
        : told.filter((line) => titleOf(line) === title && line.includes('comment') === (verb === 'commented')).length
    expect([words, found], seeded).toEqual([words, 1])
  }
}
