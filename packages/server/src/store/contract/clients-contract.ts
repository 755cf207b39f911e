import { beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../open-store.ts'
import { sql } from '../sql.ts'
import { addTasks, createContractTables, takeLease } from './contract-tables.ts'
import { CLIENTS, killAppendingClients, runClients } from './run-clients.ts'
import { sampleSize, TEST_SEED } from './test-sample.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

const seeded = `seed ${TEST_SEED}`
const sorted = (items: readonly string[]) => [...items].sort()
const taskIds = (count: number) => sorted(Array.from({ length: count }, (_, n) => `task-${n}`))

/** 16 clients in 2 processes. */
export function describeClients(createDatabase: CreateDatabase): void {
  describe('many clients', () => {
    const subject = useStore(createDatabase)
    beforeAll(() => createContractTables(subject.store.db))

    it('[ST30] messages numbered by a counter have no gap and no duplicate', async () => {
      const perClient = sampleSize(20, 100)
      await runClients(subject.options, 'post-messages', perClient)
      const rooms = await subject.store.db.all<{ room: string; n: number; least: number; most: number }>(
        sql`SELECT room, count(*) AS n, min(seq) AS least, max(seq) AS most FROM contract_messages GROUP BY room ORDER BY room`,
      )
      for (const room of rooms)
        expect({ ...room }, seeded).toEqual({ room: room.room, n: room.n, least: 1, most: room.n })
      expect(
        rooms.reduce((total, room) => total + room.n, 0),
        seeded,
      ).toBe(perClient * CLIENTS)
    })

    it('[ST31] under a lock, reading a value and writing it back loses nothing', async () => {
      const perClient = sampleSize(10, 50)
      await runClients(subject.options, 'increment-under-lock', perClient)
      expect(await subject.store.settings.get('total'), seeded).toBe(perClient * CLIENTS)
    })

    describeClaims(subject)
    describeLease(subject)
    describeLog(subject)
  })
}

type Subject = ReturnType<typeof useStore>

function describeClaims(subject: Subject): void {
  it('[ST32] every task is claimed exactly once', async () => {
    const count = sampleSize(300, 2000)
    await addTasks(subject.store.db, count)
    expect(sorted(await runClients<string>(subject.options, 'claim-tasks', 0)), seeded).toEqual(taskIds(count))
  })

  it('[ST32] of many conditional updates of a row exactly one succeeds', async () => {
    const count = sampleSize(60, 400)
    await addTasks(subject.store.db, count)
    expect(sorted(await runClients<string>(subject.options, 'flip-rows', count)), seeded).toEqual(taskIds(count))
  })

  it('[ST33] only one of several clients that take a lease at once gets it', async () => {
    expect(await runClients<string>(subject.options, 'race-for-lease', 1), seeded).toHaveLength(1)
  })

  it('[ST34] every task has one effect, even though workers die or finish too late', async () => {
    const count = sampleSize(100, 600)
    await addTasks(subject.store.db, count)
    const finished = await runClients<string>(subject.options, 'work-with-crashes', 0)
    const effects = await subject.store.db.all<{ taskId: string }>(
      sql`SELECT task_id FROM contract_outbox ORDER BY task_id`,
    )
    expect(sorted(finished), seeded).toEqual(taskIds(count))
    expect(sorted(effects.map((effect) => effect.taskId)), seeded).toEqual(taskIds(count))
  })
}

function describeLog(subject: Subject): void {
  it('[ST35] a reader of the event log sees every committed event once, in order, without a gap', async () => {
    const before = await subject.store.events.lastSeq()
    let running = true
    const follower = follow(subject.store, before, () => running)
    const committed = await runClients<string>(subject.options, 'append-events', sampleSize(20, 90)).finally(() => {
      running = false
    })
    const seen = await follower
    expect(
      seen.map((event) => event.seq),
      seeded,
    ).toEqual(Array.from({ length: committed.length }, (_, n) => before + n + 1))
    expect(sorted(seen.map((event) => event.label)), seeded).toEqual(sorted(committed))
  })

  it('[ST36] acknowledged writes survive kill -9', async () => {
    const acknowledged = await killAppendingClients(subject.options, sampleSize(50, 500))
    expect(acknowledged.length).toBeGreaterThan(0)
    const stored = new Set((await subject.store.events.after(0, 1_000_000)).map(({ seq }) => seq))
    expect(acknowledged.filter((seq) => !stored.has(seq))).toEqual([])
    expect(stored.size).toBe(await subject.store.events.lastSeq())
  })
}

function describeLease(subject: Subject): void {
  it('[ST33] a lease is renewed by its owner, refused to others, free after it expires, and its epoch stops the late owner', async () => {
    const { db } = subject.store
    expect(await takeLease(db, 'lease', 'ada', 600_000)).toBe(1)
    expect(await takeLease(db, 'lease', 'bob', 600_000)).toBeUndefined()
    expect(await takeLease(db, 'lease', 'ada', -1)).toBe(1)
    expect(await takeLease(db, 'lease', 'bob', 600_000)).toBe(2)
    expect(await takeLease(db, 'lease', 'ada', 600_000)).toBeUndefined()
  })
}

/** Reads page by page while the writers run, and once more after they have ended. */
async function follow(store: Store, from: number, running: () => boolean): Promise<{ seq: number; label: string }[]> {
  const seen: { seq: number; label: string }[] = []
  let cursor = from
  for (;;) {
    const last = !running()
    const page = await store.events.after(cursor, 50)
    for (const event of page) seen.push({ seq: event.seq, label: JSON.parse(event.body) as string })
    cursor = page.at(-1)?.seq ?? cursor
    if (page.length === 0 && last) return seen
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
