import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { StatementKind } from '../engine.ts'
import { fieldName } from '../field-name.ts'
import type { CompiledSql } from '../sql.ts'

/** One SQLite connection with its prepared statements. It is synchronous: no other code runs during a call. */
export interface SqliteConnection {
  execute(kind: StatementKind, query: CompiledSql): unknown
  exec(text: string): void
  /** Rolls back an open transaction; does nothing without one. */
  rollback(): void
  close(): void
}

const CACHED_STATEMENTS = 256
/** A statement with more values is a bulk statement: it is large, and its text rarely comes again. */
const MOST_VALUES_TO_CACHE = 64

export function openSqliteConnection(file: string, options: { readOnly: boolean }): SqliteConnection {
  // A busy timeout would block the event loop. Callers retry without blocking instead.
  const database = new DatabaseSync(file, { readOnly: options.readOnly, timeout: 0, enableForeignKeyConstraints: true })
  // Temporary tables on disk would be in the system's folder, outside the home.
  database.exec('PRAGMA temp_store = MEMORY')
  database.function('now_ms', () => BigInt(Date.now()))
  const statements = new Map<string, CachedStatement>()

  const prepare = ({ text, values }: CompiledSql): CachedStatement => {
    const cached = statements.get(text)
    if (cached) {
      statements.delete(text)
      statements.set(text, cached)
      return cached
    }
    const statement = database.prepare(text)
    const writes = /^\s*(insert|update|delete|with)\b/i.test(text)
    const fresh = { statement, writes, buildRow: createRowBuilder(statement) }
    if (values.length > MOST_VALUES_TO_CACHE) return fresh
    statements.set(text, fresh)
    // Every use moves a statement to the end of the Map, so the first one is the least recently used.
    if (statements.size > CACHED_STATEMENTS) statements.delete(statements.keys().next().value!)
    return fresh
  }

  return {
    execute(kind, query) {
      const { statement, writes, buildRow } = prepare(query)
      const values = query.values.map(bindable)
      if (kind === 'all') return (statement.all(...values) as unknown as ResultValues[]).map(buildRow)
      if (kind === 'get') {
        const result = statement.get(...values) as unknown as ResultValues | undefined
        return result && buildRow(result)
      }
      // After DDL, SQLite still reports the count of the previous statement.
      const { changes } = statement.run(...values)
      return writes ? Number(changes) : 0
    },
    exec: (text) => database.exec(text),
    rollback() {
      if (database.isTransaction) database.exec('ROLLBACK')
    },
    close: () => database.close(),
  }
}

/** One result row. The driver's types only know rows as objects. */
type ResultValues = readonly unknown[]

interface CachedStatement {
  readonly statement: StatementSync
  readonly writes: boolean
  readonly buildRow: BuildRow
}

/** A plain number would be bound as a double: 12 would reach a TEXT column as '12.0', and 7 / 2 would be 3.5. */
function bindable(value: CompiledSql['values'][number]): string | number | bigint | null | Uint8Array {
  return Number.isInteger(value) ? BigInt(value as number) : value
}

/** Turns the values of one result row into an object with a field for each column. */
type BuildRow = (values: readonly unknown[]) => Record<string, unknown>

/**
 * Switches the statement to arrays and names the fields itself, because the driver can only name a field after its column.
 * The names are read once per statement, not once per row.
 */
function createRowBuilder(statement: StatementSync): BuildRow {
  statement.setReturnArrays(true)
  let fields: string[] = []
  let emptyRow: Record<string, unknown> = {}
  const readFields = () => {
    fields = statement.columns().map(({ name }) => fieldName(name))
    emptyRow = Object.fromEntries(fields.map((field) => [field, null]))
  }
  return (values) => {
    // SQLite prepares `SELECT *` again after the table got another column.
    if (values.length !== fields.length) readFields()
    // A copy of a row with all fields takes half as long as adding the fields one by one.
    const row = { ...emptyRow }
    for (let index = 0; index < fields.length; index++) row[fields[index]!] = values[index]
    return row
  }
}
