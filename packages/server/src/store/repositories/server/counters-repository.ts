import { type Db, sql } from '../../sql.ts'

/** Numbers that people see. If a transaction rolls back, its number is issued again, so the numbers have no gaps. */
export function createCountersRepository(db: Db) {
  return {
    /** Counts from 1. Another transaction that uses the same counter waits until this one ends. */
    next: async (name: string) => {
      if (OF_COLUMNS.has(name)) throw new TypeError(`the counter ${name} belongs to a column of that name`)
      const row = await db.get<{ value: number }>(sql`INSERT INTO counters (name, value) VALUES (${name}, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`)
      return row!.value
    },
    /** 0 when no number was taken yet. */
    current: async (name: string) =>
      (await db.get<{ value: number }>(sql`SELECT value FROM counters WHERE name = ${name}`))?.value ?? 0,
  }
}

/** PostgreSQL numbers the rows of these tables with the counters, so a number taken here would be a gap. */
const OF_COLUMNS: ReadonlySet<string> = new Set(['events', 'board_lines'])
