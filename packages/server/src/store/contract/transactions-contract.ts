import { ClawbooError } from '@clawboo/core'
import { describe, expect, it } from 'vitest'
import { openStore } from '../open-store.ts'
import { type Db, sql } from '../sql.ts'
import { StoreConflict } from '../store-conflict.ts'
import { seededRandom, TEST_SEED } from './test-sample.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

export function describeTransactions(createDatabase: CreateDatabase): void {
  describe('transactions', () => {
    const subject = useStore(createDatabase)
    describeIsolation(subject)
    describeHandles(subject)
    describeFailures(subject)
  })
}

type Subject = ReturnType<typeof useStore>

const put = (db: Db, key: string) => db.run(sql`INSERT INTO settings (key, value, updated_at) VALUES (${key}, '1', 0)`)
const keys = async (db: Db, prefix: string) => {
  const found = await db.all<{ key: string }>(sql`SELECT key FROM settings ORDER BY key`)
  return found.map(({ key }) => key).filter((key) => key.startsWith(prefix))
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

function describeIsolation(subject: Subject): void {
  it('[ST11] all writes of a transaction appear together at the commit, and none after an error', async () => {
    const { db } = subject.store
    await db.transaction(async (tx) => {
      await put(tx, 'whole-1')
      await put(tx, 'whole-2')
    })
    const failed = db.transaction(async (tx) => {
      await put(tx, 'whole-3')
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await keys(db, 'whole-')).toEqual(['whole-1', 'whole-2'])
  })

  it('[ST12] a statement of other code never joins an open transaction', async () => {
    const { db } = subject.store
    const random = seededRandom(TEST_SEED)
    const outside: Promise<number>[] = []
    for (let round = 0; round < 10; round++) {
      const opened = Promise.withResolvers<void>()
      const doomed = db.transaction(async (tx) => {
        await put(tx, `slip-inside-${round}`)
        opened.resolve()
        for (let ticks = Math.floor(random() * 8); ticks >= 0; ticks--) await turn()
        throw new Error('rolled back')
      })
      await opened.promise
      for (let n = 0; n < 5; n++) outside.push(put(db, `slip-outside-${round}-${n}`))
      await expect(doomed, `seed ${TEST_SEED}`).rejects.toThrow('rolled back')
    }
    await Promise.all(outside)
    expect(await keys(db, 'slip-inside'), `seed ${TEST_SEED}`).toEqual([])
    expect(await keys(db, 'slip-outside'), `seed ${TEST_SEED}`).toHaveLength(50)
  })

  it('[ST13] a read outside an open transaction neither waits for it nor sees its writes', async () => {
    const { db } = subject.store
    const opened = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const open = db.transaction(async (tx) => {
      await put(tx, 'unseen')
      opened.resolve()
      await release.promise
      return keys(tx, 'unseen')
    })
    await opened.promise
    expect(await keys(db, 'unseen')).toEqual([])
    release.resolve()
    expect(await open).toEqual(['unseen'])
    expect(await keys(db, 'unseen')).toEqual(['unseen'])
  })
}

function describeHandles(subject: Subject): void {
  it('[ST11] a statement that a transaction did not await is still part of it', async () => {
    const { db } = subject.store
    const doomed = db.transaction(async (tx) => {
      for (let n = 0; n < 200; n++) void put(tx, `careless-${n}`)
      throw new Error('rolled back')
    })
    await expect(doomed).rejects.toThrow('rolled back')
    await db.transaction(async (tx) => {
      for (let n = 0; n < 200; n++) void put(tx, `hasty-${n}`)
    })
    expect(await keys(db, 'careless-')).toEqual([])
    expect(await keys(db, 'hasty-')).toHaveLength(200)
  })

  it('[ST14] the outer handle is refused inside a transaction, and the refused call has no effect', async () => {
    const { db } = subject.store
    await db.transaction(async (tx) => {
      await expect(put(db, 'outer')).rejects.toThrow(TypeError)
      await expect(db.transaction(async () => {})).rejects.toThrow(TypeError)
      await expect(db.snapshot(async () => {})).rejects.toThrow(TypeError)
      await put(tx, 'inner')
    })
    expect(await keys(db, 'outer')).toEqual([])
    expect(await keys(db, 'inner')).toEqual(['inner'])
  })

  it('[ST14] code that continues after its transaction can use the outer handle', async () => {
    const { db } = subject.store
    const ended = Promise.withResolvers<void>()
    const started = await db.transaction(async () => ({ later: ended.promise.then(() => put(db, 'later')) }))
    ended.resolve()
    expect(await started.later).toBe(1)
  })

  it('[ST15] the handle of an ended transaction is refused', async () => {
    const { db } = subject.store
    const handle = await db.transaction(async (tx) => ({ tx }))
    await expect(put(handle.tx, 'too-late')).rejects.toThrow(TypeError)
    await expect(handle.tx.get(sql`SELECT 1 AS x`)).rejects.toThrow(TypeError)
    expect(await keys(db, 'too-late')).toEqual([])
  })

  it('[ST16] a transaction inside a transaction is part of it', async () => {
    const { db } = subject.store
    const failed = db.transaction(async (tx) => {
      await tx.transaction((inner) => put(inner, 'nested'), 'some-lock')
      expect(await keys(tx, 'nested')).toEqual(['nested'])
      throw new Error('outer fails')
    })
    await expect(failed).rejects.toThrow('outer fails')
    expect(await keys(db, 'nested')).toEqual([])
  })
}

function describeFailures(subject: Subject): void {
  it('[ST17] a failed statement ends its transaction, even when its error is caught or it was not awaited', async () => {
    const { db } = subject.store
    await put(db, 'taken')
    const carriedOn = db.transaction(async (tx) => {
      await put(tx, 'before-failure')
      await put(tx, 'taken').catch(() => {})
      await put(tx, 'after-failure').catch(() => {})
      return 'looks fine'
    })
    await expect(carriedOn).rejects.toThrow(StoreConflict)
    const careless = db.transaction(async (tx) => {
      await put(tx, 'before-failure')
      void put(tx, 'taken')
    })
    await expect(careless).rejects.toThrow(StoreConflict)
    expect(await keys(db, 'before-failure')).toEqual([])
    expect(await keys(db, 'after-failure')).toEqual([])
  })

  it('[ST18] a unique and a foreign key refuse with a StoreConflict that names the kind', async () => {
    const { db } = subject.store
    await put(db, 'twice')
    const revision = sql`INSERT INTO agent_file_revisions (agent_id, name, revision, hash, content, author, created_at)
      VALUES ('nobody', 'SOUL.md', 1, 'h', 'x', 'me', 0)`
    await expect(put(db, 'twice')).rejects.toMatchObject({ name: 'StoreConflict', kind: 'unique' })
    await expect(db.run(revision)).rejects.toMatchObject({ name: 'StoreConflict', kind: 'foreign-key' })
  })

  it('[ST19] a closed store finishes the running transaction and refuses everything after it', async () => {
    const store = await openStore(subject.options)
    const running = store.db.transaction(async (tx) => {
      await turn()
      await put(tx, 'last-words')
    })
    await Promise.all([running, turn().then(() => store.close()), store.close()])
    const refusal = await put(store.db, 'posthumous').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ClawbooError)
    expect(refusal).toMatchObject({ code: 'store_unavailable' })
    expect(await keys(subject.store.db, 'last-words')).toEqual(['last-words'])
  })
}
