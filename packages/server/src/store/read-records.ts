import { toUsd } from './dollars.ts'
import type { Db, Sql } from './sql.ts'

/** Fields of a record whose column stores another type. Every other column has its field's name and type. */
interface StoredFields<T> {
  /** JSON text. */
  readonly json?: readonly (keyof T)[]
  /** 1 or 0. */
  readonly booleans?: readonly (keyof T)[]
  /** Whole billionths of a dollar. */
  readonly dollars?: readonly (keyof T)[]
}

/** Returns a function that converts the stored fields of a row in place: a row is new, and only its reader has it. */
export function rowDecoder<T>({ json = [], booleans = [], dollars = [] }: StoredFields<T>): (row: object) => T {
  return (row) => {
    const record = row as Record<keyof T, unknown>
    for (const field of json) {
      const text = record[field]
      if (text !== null) record[field] = JSON.parse(text as string)
    }
    for (const field of booleans) record[field] = record[field] === 1
    for (const field of dollars) {
      const nanos = record[field]
      if (nanos !== null) record[field] = toUsd(nanos as number)
    }
    return record as T
  }
}

/** Reads the rows of one table as records. */
interface RecordReader<T> {
  all(query: Sql): Promise<T[]>
  /** null when there is no row. */
  first(query: Sql): Promise<T | null>
}

export function readRecords<T, Row extends object>(db: Db, decode: (row: Row) => T): RecordReader<T> {
  return {
    all: async (query) => {
      const rows = await db.all<Row>(query)
      return rows.map((row) => decode(row))
    },
    first: async (query) => {
      const row = await db.get<Row>(query)
      return row ? decode(row) : null
    },
  }
}
