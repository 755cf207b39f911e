import { beforeAll, describe, expect, it } from 'vitest'
import { fitDdl } from '../migrations/fit-ddl.ts'
import { type Db, list, raw, rows, type SqlValue, sql } from '../sql.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

type Subject = ReturnType<typeof useStore>

const TABLE = 'CREATE TABLE contract_values (id TEXT PRIMARY KEY, i INTEGER, r REAL, t TEXT, b BLOB)'

export function describeValues(createDatabase: CreateDatabase): void {
  describe('values', () => {
    const subject = useStore(createDatabase)
    beforeAll(() => subject.store.db.run(fitDdl(subject.store.db.engine, TABLE)))

    const roundTrip = async (column: 'i' | 'r' | 't' | 'b', value: SqlValue) => {
      const { db } = subject.store
      await db.run(sql`DELETE FROM contract_values`)
      await db.run(sql`INSERT INTO contract_values (id, ${raw(column)}) VALUES ('x', ${value})`)
      const row = await db.get<Record<string, SqlValue>>(
        sql`SELECT ${raw(column)} AS value FROM contract_values WHERE id = 'x'`,
      )
      return row?.value
    }

    it.each<[string, 'i' | 'r' | 't' | 'b', SqlValue]>([
      ['an epoch', 'i', 1_763_000_000_000],
      ['the largest integer', 'i', Number.MAX_SAFE_INTEGER],
      ['the smallest integer', 'i', Number.MIN_SAFE_INTEGER],
      ['a fraction', 'r', 0.1 + 0.2],
      ['a whole number in a REAL column', 'r', 3],
      ['empty text', 't', ''],
      ['text of many scripts', 't', 'é ß 漢字 👻 \u0001 \\ \' " % _ ? $1'],
      ['null', 't', null],
    ])('[ST1] %s reads back as it was written', async (_what, column, value) => {
      expect(await roundTrip(column, value)).toBe(value)
    })

    it('[ST1] bytes and a bigint read back as they were written', async () => {
      expect(Buffer.from((await roundTrip('b', new Uint8Array([0, 1, 255]))) as Uint8Array)).toEqual(
        Buffer.from([0, 1, 255]),
      )
      expect(await roundTrip('i', 42n)).toBe(42)
    })

    it('[ST1] an unpaired surrogate becomes the replacement character', async () => {
      expect(await roundTrip('t', 'a\ud800b')).toBe('a\ufffdb')
    })

    it('[ST2] a boolean is stored as 1 or 0, and a comparison reads as 1 or 0', async () => {
      expect(await roundTrip('i', true)).toBe(1)
      expect(await roundTrip('i', false)).toBe(0)
      expect((await subject.store.db.get<{ x: number }>(sql`SELECT 1 = 1 AS x`))?.x).toBe(1)
    })

    describeRefusals(subject)
    describeResults(subject)
    describeFieldNames(subject)
    describeStatements(subject)
  })
}

function describeRefusals(subject: Subject): void {
  it.each<[string, unknown]>([
    ['a Date', new Date(0)],
    ['undefined', undefined],
    ['text with a NUL character', 'a\0b'],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['an integer beyond 2^53', 2 ** 53],
    ['a bigint beyond 2^53', 2n ** 60n],
    ['an object', { a: 1 }],
  ])('[ST3] %s is refused', async (_what, value) => {
    const write = subject.store.db.run(
      sql`INSERT INTO contract_values (id, t) VALUES ('refused', ${value as SqlValue})`,
    )
    await expect(write).rejects.toThrow(TypeError)
    expect(await subject.store.db.all(sql`SELECT id FROM contract_values WHERE id = 'refused'`)).toEqual([])
  })
}

/** Replaces the rows of the table. */
async function fill(db: Db, values: readonly (readonly SqlValue[])[]): Promise<number> {
  await db.run(sql`DELETE FROM contract_values`)
  return db.run(sql`INSERT INTO contract_values (id, i, r, t) VALUES ${rows(values)}`)
}

function describeResults(subject: Subject): void {
  it('[ST4] counts, sums, averages and row numbers are numbers', async () => {
    await fill(subject.store.db, [
      ['a', 1, 0.5, 'x'],
      ['b', 2, 0.25, 'y'],
    ])
    const row = await subject.store.db.get(sql`SELECT count(*) AS n, sum(i) AS total, avg(i) AS mean, sum(r) AS part,
      max(i) AS most FROM contract_values`)
    expect({ ...(row as object) }).toEqual({ n: 2, total: 3, mean: 1.5, part: 0.75, most: 2 })
    const numbered = await subject.store.db.all<{ n: number }>(
      sql`SELECT row_number() OVER (ORDER BY id) AS n FROM contract_values ORDER BY id`,
    )
    expect(numbered.map(({ n }) => n)).toEqual([1, 2])
  })

  it('[ST4] a result beyond 2^53 is refused and the connection still works', async () => {
    await fill(subject.store.db, [
      ['a', Number.MAX_SAFE_INTEGER, 0, ''],
      ['b', Number.MAX_SAFE_INTEGER, 0, ''],
    ])
    await expect(subject.store.db.all(sql`SELECT sum(i) AS total FROM contract_values`)).rejects.toThrow(RangeError)
    expect((await subject.store.db.get<{ n: number }>(sql`SELECT count(*) AS n FROM contract_values`))?.n).toBe(2)
  })

  it('[ST5] a number reaches text without a decimal point, and integers divide as integers', async () => {
    await fill(subject.store.db, [['a', 7, 0, 12]])
    const row = await subject.store.db.get(sql`SELECT t, i / ${2} AS half FROM contract_values`)
    expect(row).toMatchObject({ t: '12', half: 3 })
  })

  it('[ST6] text sorts by its bytes', async () => {
    await fill(
      subject.store.db,
      ['a', 'B', '_', 'Z', 'é'].map((text) => [text, 0, 0, text]),
    )
    const sorted = await subject.store.db.all<{ t: string }>(sql`SELECT t FROM contract_values ORDER BY t`)
    expect(sorted.map(({ t }) => t)).toEqual(['B', 'Z', '_', 'a', 'é'])
  })
}

function describeFieldNames(subject: Subject): void {
  it('[ST25] a column arrives under its name in camel case, from the table, an alias and RETURNING', async () => {
    const { db } = subject.store
    await db.run(fitDdl(db.engine, 'CREATE TABLE contract_names (team_id TEXT PRIMARY KEY, last_seen_at INTEGER)'))
    const row = { teamId: 'a', lastSeenAt: 1 }
    const written = await db.get(sql`INSERT INTO contract_names (team_id, last_seen_at) VALUES ('a', 1) RETURNING *`)
    expect(written).toStrictEqual(row)
    expect(await db.all(sql`SELECT * FROM contract_names`)).toStrictEqual([row])
    expect(await db.get(sql`SELECT count(*) AS row_count, 1 AS plain FROM contract_names`)).toStrictEqual({
      rowCount: 1,
      plain: 1,
    })
    await db.snapshot(async (tx) => expect(await tx.get(sql`SELECT * FROM contract_names`)).toStrictEqual(row))
  })

  it('[ST25] a prepared statement returns the field of a column that is added later', async () => {
    const { db } = subject.store
    const readAll = () => db.all(sql`SELECT * FROM contract_grown`)
    await db.run(fitDdl(db.engine, 'CREATE TABLE contract_grown (id TEXT PRIMARY KEY)'))
    await db.run(sql`INSERT INTO contract_grown (id) VALUES ('a')`)
    expect(await readAll()).toStrictEqual([{ id: 'a' }])
    await db.run(fitDdl(db.engine, 'ALTER TABLE contract_grown ADD COLUMN added_at INTEGER'))
    expect(await readAll()).toStrictEqual([{ id: 'a', addedAt: null }])
  })

  it('[ST26] each row is a separate plain object', async () => {
    await fill(subject.store.db, [
      ['a', 1, 0, ''],
      ['b', 2, 0, ''],
    ])
    const read = () =>
      subject.store.db.all<{ id: string; i: number }>(sql`SELECT id, i FROM contract_values ORDER BY id`)
    const [first, second] = await read()
    first!.i = 9
    expect(second).toStrictEqual({ id: 'b', i: 2 })
    expect(await read()).toStrictEqual([
      { id: 'a', i: 1 },
      { id: 'b', i: 2 },
    ])
  })
}

function describeStatements(subject: Subject): void {
  it('[ST7] an empty list and an empty set of rows are refused', () => {
    expect(() => list([])).toThrow(RangeError)
    expect(() => rows([])).toThrow(RangeError)
  })

  it('[ST8] a write resolves to the number of rows it wrote, any other statement to 0', async () => {
    const { db } = subject.store
    expect(
      await fill(subject.store.db, [
        ['a', 1, 0, ''],
        ['b', 1, 0, ''],
      ]),
    ).toBe(2)
    expect(await db.run(sql`UPDATE contract_values SET i = 1`)).toBe(2)
    expect(await db.run(fitDdl(db.engine, 'CREATE TABLE contract_other (id TEXT PRIMARY KEY)'))).toBe(0)
    expect(await db.run(sql`SELECT id FROM contract_values`)).toBe(0)
    expect(await db.run(sql`DELETE FROM contract_values WHERE id = 'a'`)).toBe(1)
  })

  it('[ST9] more different statements than the cache can store still run', async () => {
    await fill(subject.store.db, [['a', 1, 0, '']])
    for (let n = 0; n < 300; n++) {
      const row = await subject.store.db.get<{ v: number }>(sql`SELECT ${raw(`i + ${n}`)} AS v FROM contract_values`)
      expect(row?.v).toBe(n + 1)
    }
  })

  it('[ST10] text in an INTEGER column is refused', async () => {
    await expect(
      subject.store.db.run(sql`INSERT INTO contract_values (id, i) VALUES ('x', ${'abc'})`),
    ).rejects.toThrow()
  })
}
