import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newAgent } from '../../packages/server/src/store/contract/agents-contract.ts'
import { openStore, type Store } from '../../packages/server/src/store/open-store.ts'
import { sql } from '../../packages/server/src/store/sql.ts'
import { type TestDatabase, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { isSoak, testSeed } from '../seed.ts'
import { runWorker } from './doomed-worker.ts'
import { createRandom, type Random } from './random.ts'
import { openRoomServer, type RoomOrder, type RoomSaid, readMemory } from './room-worker.ts'

/** In each round, one server dies, or two at once. */
const ROUNDS = isSoak ? 1_000 : 8
const MESSAGES = 2
/** Roughly the number of points that a server passes for its messages. */
const POINTS = 260
const LIMIT_MS = isSoak ? 4 * 3_600_000 : 600_000

interface Round {
  readonly teamId: string
  readonly roomId: `team:${string}`
  readonly memory: string
  readonly seeded: string
}

describe.each(testEngines())(
  'Servers that are killed while agents speak in a room, on $engine',
  ({ createDatabase }) => {
    let database: TestDatabase
    let store: Store
    let folder: string
    beforeAll(async () => {
      database = await createDatabase()
      store = await openStore(database.options)
      folder = mkdtempSync(join(tmpdir(), 'clawboo-room-chaos-'))
    })
    afterAll(async () => {
      await store.close()
      await database.dispose()
      rmSync(folder, { recursive: true, force: true })
    })

    it(
      `[TC127] ${ROUNDS} times: no post is lost or repeated, no number is missing, and every cursor matches the deliveries`,
      async () => {
        const random = createRandom(testSeed)
        let kills = 0
        for (let n = 0; n < ROUNDS; n++) {
          const round = await makeRound(store, folder, n)
          const servers = random.below(3) === 0 ? 2 : 1
          const orders = Array.from({ length: servers }, (_, at) =>
            orderFor(database, round, `doomed-${n}-${at}`, random),
          )
          const ended = await Promise.all(orders.map((order) => runWorker<RoomSaid>('room-worker.ts', order)))
          kills += ended.filter(({ killed }) => killed).length
          await bringToEnd(store, round, random, orders[0]!.instance)
          await expectWhole(
            store,
            round,
            ended.flatMap(({ said }) => said),
          )
        }
        expect(kills, `seed ${testSeed}`).toBeGreaterThan(ROUNDS / 3)
      },
      LIMIT_MS,
    )
  },
)

async function makeRound(store: Store, folder: string, n: number): Promise<Round> {
  const teamId = `round-${n}`
  await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
  for (const name of ['ada', 'bob'])
    await store.agents.insert(newAgent(`${teamId}-${name}`, { teamId, name, runtime: 'memory' }))
  await store.teams.update(teamId, { leadAgentId: `${teamId}-ada`, updatedAt: 1 })
  return { teamId, roomId: `team:${teamId}`, memory: join(folder, teamId), seeded: `seed ${testSeed}, round ${n}` }
}

function orderFor({ options }: TestDatabase, { teamId, memory }: Round, instance: string, random: Random): RoomOrder {
  const dieAt = 1 + random.below(POINTS)
  return { options, teamId, instance, memory, messages: MESSAGES, seed: random.below(2 ** 31), dieAt }
}

/** Starts the server that died at once, or another one after a lease. */
async function bringToEnd(store: Store, { roomId, memory }: Round, random: Random, died: string): Promise<void> {
  const instance = random.below(2) === 0 ? died : 'survivor'
  await store.db.run(
    sql`UPDATE rooms SET lease_until = now_ms() - 1 WHERE id = ${roomId} AND owner_instance <> ${instance}`,
  )
  await store.db.run(sql`UPDATE runs SET lease_until = now_ms() - 1 WHERE owner_instance <> ${instance}`)
  const server = await openRoomServer(store.db, { instance, memory, random })
  while ((await store.exchanges.open(roomId)).length > 0) await sleep(20)
  await server.close()
}

async function expectWhole(store: Store, round: Round, said: readonly RoomSaid[]): Promise<void> {
  const { roomId, seeded } = round
  const posts = await store.posts.after(roomId, 0, 1000)
  expect(
    posts.map(({ seq }) => seq),
    seeded,
  ).toEqual(posts.map((_, at) => at + 1))
  // Each message and each run has unique text.
  const bodies = posts.filter(({ kind }) => kind !== 'system').map(({ body }) => body)
  expect(new Set(bodies).size, seeded).toBe(bodies.length)
  for (const { asked } of said) expect(bodies, seeded).toContain(asked)
  const exchanges = await store.exchanges.list(roomId, { limit: 100 })
  for (const { status, reason } of exchanges) expect([status, typeof reason], seeded).toEqual(['ended', 'string'])
  await expectWordsKept(store, round, bodies)
  await expectCursors(store, round)
}

/** Checks that the text of every finished run is in the room, unless the run passed. */
async function expectWordsKept(store: Store, { teamId, seeded }: Round, bodies: readonly string[]): Promise<void> {
  const runs = await store.runs.list({ teamId, limit: 200 })
  const entries = await store.runs.entries(runs.map(({ id }) => id))
  for (const { id } of runs) {
    const done = entries.get(id)!.find(({ type }) => type === 'done')
    if (done?.type !== 'done' || done.outcome !== 'completed' || done.text === 'NO_REPLY') continue
    expect(bodies, `${seeded}, run ${id}`).toContain(done.text)
  }
}

/** Checks that all posts up to the cursor were delivered once, and none after it. */
async function expectCursors(store: Store, { teamId, roomId, memory, seeded }: Round): Promise<void> {
  const posts = await store.posts.after(roomId, 0, 1000)
  const prompts = readMemory(memory)
  for (const name of ['ada', 'bob']) {
    const agentId = `${teamId}-${name}`
    const cursor = (await store.roomMembers.get(roomId, agentId))?.cursorSeq ?? 0
    const told = prompts.filter((one) => one.agentId === agentId).flatMap((one) => one.told)
    expect(new Set(told).size, `${seeded}, ${name}: told twice`).toBe(told.length)
    const owed = posts.filter(
      ({ seq, kind, author }) =>
        seq <= cursor && kind !== 'user' && !(author.kind === 'agent' && author.id === agentId),
    )
    for (const { seq } of owed) expect(told, `${seeded}, ${name}: behind`).toContain(seq)
    for (const seq of told) expect(seq, `${seeded}, ${name}: ahead`).toBeLessThanOrEqual(cursor)
  }
}
