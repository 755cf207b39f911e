import { ClawbooError } from '@clawboo/core'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { migrate } from '../store/migrations/migrate.ts'
import { type Db, raw, rows as rowsOf, type SqlValue, sql } from '../store/sql.ts'
import { type BackupHeader, type BackupRow, sqlValue } from './backup-format.ts'
import { readBackup } from './read-backup.ts'
import { migrationsUpTo, schemaTables } from './schema-tables.ts'
import { readTableShape } from './table-shape.ts'

/** Both engines accept this many values per statement, and it stays small beside a large row. */
const MAX_VALUES = 10_000
const MAX_TEXT = 1024 * 1024

/**
 * Fills an empty database: creates the schema of the backup's version, inserts the rows, then applies the later
 * migrations. `tx` is one transaction, so an unreadable backup changes nothing.
 */
export async function insertBackup(tx: Db, file: string, header: BackupHeader): Promise<void> {
  const migrations = migrationsUpTo(MIGRATIONS, header.lastMigration)!
  const { tables, numbered } = schemaTables(migrations)
  await migrate(tx, migrations)
  // Migrations may insert rows; the backup contains them already.
  for (const table of tables) await tx.run(sql`DELETE FROM ${raw(table)}`)
  await withForeignKeysDeferred(tx, tables, () => insertRows(tx, file))
  if (tx.engine === 'postgres') {
    for (const { table, column, counter } of numbered) {
      await tx.run(sql`INSERT INTO counters (name, value)
        SELECT ${raw(`'${counter}'`)}, coalesce(max(${raw(column)}), 0) FROM ${raw(table)}`)
    }
  }
  await migrate(tx)
}

async function insertRows(tx: Db, file: string): Promise<void> {
  let batch: Batch | null = null
  for await (const entry of readBackup(file)) {
    if (entry.kind !== 'row') continue
    if (batch?.table !== entry.table) {
      await batch?.flush()
      batch = createBatch(tx, entry.table, (await readTableShape(tx, entry.table)).columns)
    }
    await batch.add(entry.row)
  }
  await batch?.flush()
}

type Batch = ReturnType<typeof createBatch>

function createBatch(tx: Db, table: string, columns: readonly string[]) {
  const names = raw(columns.join(', '))
  let waiting: SqlValue[][] = []
  let textLength = 0
  const flush = async () => {
    if (waiting.length === 0) return
    const tuples = waiting
    waiting = []
    textLength = 0
    await tx.run(sql`INSERT INTO ${raw(table)} (${names}) VALUES ${rowsOf(tuples)}`)
  }
  return {
    table,
    flush,
    async add(row: BackupRow[1]) {
      if (Object.keys(row).length !== columns.length)
        throw new ClawbooError('backup_unreadable', `the backup cannot be used: a row does not fit the table ${table}`)
      const tuple = columns.map((column) => {
        const value = row[column]
        if (value === undefined)
          throw new ClawbooError('backup_unreadable', `the backup cannot be used: a row of ${table} has no ${column}`)
        if (typeof value === 'string') textLength += value.length
        return sqlValue(value)
      })
      waiting.push(tuple)
      if ((waiting.length + 1) * columns.length > MAX_VALUES || textLength > MAX_TEXT) await flush()
    },
  }
}

/** Rows may refer to later rows, so the foreign keys are checked once all rows are inserted. */
async function withForeignKeysDeferred(tx: Db, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  if (tx.engine === 'sqlite') {
    await tx.run(raw('PRAGMA defer_foreign_keys = ON'))
    return work()
  }
  const keys: { table: string; name: string }[] = []
  for (const table of tables) {
    const found = await tx.all<{ name: string }>(
      sql`SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass(${table})`,
    )
    keys.push(...found.map(({ name }) => ({ table, name })))
  }
  const alterAll = async (how: string) => {
    for (const { table, name } of keys)
      await tx.run(raw(`ALTER TABLE ${table} ALTER CONSTRAINT "${name.replaceAll('"', '""')}" ${how}`))
  }
  await alterAll('DEFERRABLE INITIALLY DEFERRED')
  await work()
  // Runs the deferred checks: PostgreSQL cannot alter a table with pending ones.
  await tx.run(raw('SET CONSTRAINTS ALL IMMEDIATE'))
  await alterAll('NOT DEFERRABLE')
}
