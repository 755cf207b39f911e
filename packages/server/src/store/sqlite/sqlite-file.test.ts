import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../open-store.ts'
import { type Db, sql } from '../sql.ts'
import { createSqliteDatabase, type TestDatabase } from '../test-stores.ts'
import { openSqlite } from './open-sqlite.ts'

/** Creates a new file for each test and closes every handle on it afterwards. */
function useFile() {
  let database: TestDatabase
  const opened: Db[] = []
  beforeEach(async () => {
    database = await createSqliteDatabase()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()))
    await database.dispose()
  })
  return {
    get file() {
      return database.options.sqliteFile
    },
    async open(options?: { conflictDeadlineMs: number }) {
      const db = await openSqlite(database.options.sqliteFile, options)
      opened.push(db)
      return db
    },
  }
}

const modeOf = (path: string) => statSync(path).mode & 0o777
const createTable = (db: Db) => db.run(sql`CREATE TABLE t (n INTEGER NOT NULL)`)
const put = (db: Db, n: number) => db.run(sql`INSERT INTO t (n) VALUES (${n})`)
const count = async (db: Db) => (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM t`))?.n

describe('the SQLite file', () => {
  const subject = useFile()

  it('[ST90] only the owner can read the file and its log, even if others could read the file before', async () => {
    const { file } = subject
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    await createTable(await subject.open())
    expect([modeOf(file), modeOf(`${file}-wal`), modeOf(`${file}-shm`)]).toEqual([0o600, 0o600, 0o600])
  })

  it('[ST91] uses a write-ahead log that syncs at checkpoints, foreign keys, and no temporary files', async () => {
    const db = await subject.open()
    const { journalMode } = (await db.get<{ journalMode: string }>(sql`PRAGMA journal_mode`))!
    const { synchronous } = (await db.get<{ synchronous: number }>(sql`PRAGMA synchronous`))!
    const { foreignKeys } = (await db.get<{ foreignKeys: number }>(sql`PRAGMA foreign_keys`))!
    const { tempStore } = (await db.get<{ tempStore: number }>(sql`PRAGMA temp_store`))!
    expect({ journalMode, synchronous, foreignKeys, tempStore }).toEqual({
      journalMode: 'wal',
      synchronous: 1,
      foreignKeys: 1,
      tempStore: 2,
    })
  })

  it('[ST92] rejects a file that cannot be opened with store_unavailable and the cause', async () => {
    const folder = dirname(subject.file)
    const noDatabase = join(folder, 'notes.txt')
    writeFileSync(noDatabase, 'this is no database, but it is long enough to look like one at first sight. '.repeat(30))
    const subfolder = join(folder, 'subfolder')
    mkdirSync(subfolder, { mode: 0o755 })
    for (const sqliteFile of [join(folder, 'missing', 'file'), noDatabase, subfolder]) {
      const refusal = await openStore({ sqliteFile }).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ name: 'ClawbooError', code: 'store_unavailable', cause: expect.any(Error) })
    }
    expect(modeOf(subfolder)).toBe(0o755)
  })

  it('[ST97] a store on a file loads no PostgreSQL driver', async () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (specifier, context, next) => { loaded.push(specifier); return next(specifier, context) } })
      const { openStore } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../open-store.ts')).href)})
      await (await openStore({ sqliteFile: ${JSON.stringify(subject.file)} })).close()
      process.stdout.write(JSON.stringify(loaded))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    const loaded = JSON.parse(stdout) as string[]
    expect(loaded).toContain('node:sqlite')
    expect(loaded).not.toContain('postgres')
  })
})

describe('writers on the SQLite file', () => {
  const subject = useFile()

  it('[ST93] reads and the event loop continue while a write waits for another process’s write lock', async () => {
    const [ours, other] = [await subject.open(), await subject.open()]
    await createTable(ours)
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holder = other.transaction(async (tx) => {
      await put(tx, 1)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    let written = false
    const write = put(ours, 2).then(() => {
      written = true
    })
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(await count(ours)).toBe(0)
    expect(written).toBe(false)
    release.resolve()
    await Promise.all([holder, write])
    expect(await count(ours)).toBe(2)
  })

  it('[ST94] rejects a write that never gets the lock with store_unavailable, and the next write works', async () => {
    const [ours, other] = [await subject.open({ conflictDeadlineMs: 30 }), await subject.open()]
    await createTable(other)
    const refusals = other.transaction(async () =>
      Promise.all(
        [put(ours, 1), ours.transaction((tx) => put(tx, 2))].map((write) => write.catch((error: unknown) => error)),
      ),
    )
    expect(await refusals).toMatchObject([{ code: 'store_unavailable' }, { code: 'store_unavailable' }])
    expect(await put(ours, 3)).toBe(1)
    expect(await count(ours)).toBe(1)
  })

  it('[ST95] writers get the lock in the order of their calls', async () => {
    const db = await subject.open()
    await createTable(db)
    const order: number[] = []
    const writes = Array.from({ length: 20 }, async (_, n) => {
      if (n % 2 === 0) await put(db, n)
      else {
        await db.transaction(async (tx) => {
          await new Promise((resolve) => setImmediate(resolve))
          await put(tx, n)
        })
      }
      order.push(n)
    })
    await Promise.all(writes)
    expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  it('[ST96] timers and sockets run during a long chain of awaited calls', async () => {
    const db = await subject.open()
    await createTable(db)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    /** Ends a chain that blocks everything else too, only much later. */
    const chainUntilLetIn = async (call: () => Promise<unknown>) => {
      const before = turns
      for (let n = 0; n < 50_000 && turns < before + 3; n++) await call()
      return turns - before
    }
    expect(await chainUntilLetIn(() => put(db, 1))).toBeGreaterThanOrEqual(3)
    expect(await chainUntilLetIn(() => db.get(sql`SELECT 1 AS x`))).toBeGreaterThanOrEqual(3)
    expect(await chainUntilLetIn(() => db.transaction(async () => {}))).toBeGreaterThanOrEqual(3)
    await db.transaction(async (tx) => {
      expect(await chainUntilLetIn(() => put(tx, 1))).toBeGreaterThanOrEqual(3)
    })
    clearInterval(timer)
  })
})
