import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

export type Row = Readonly<Record<string, unknown>>

/** Reads the database of a server, even while it runs. */
export function readRows(home: string, query: string, ...values: readonly SQLInputValue[]): readonly Row[] {
  const database = new DatabaseSync(join(home, 'clawboo.sqlite'), { readOnly: true, timeout: 10_000 })
  try {
    return database.prepare(query).all(...values) as Row[]
  } finally {
    database.close()
  }
}
