import { ClawbooError } from '@clawboo/core'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { openPostgres } from '../store/postgres/open-postgres.ts'
import { type Db, raw, sql } from '../store/sql.ts'
import type { BackupHeader } from './backup-format.ts'
import { insertBackup } from './insert-backup.ts'
import { migrationsUpTo, schemaTables } from './schema-tables.ts'
import { readTableShape } from './table-shape.ts'

/** Fills the database in one transaction. Changes only our own tables; if they contain rows, requires `replace`. */
export async function restorePostgres(
  url: string,
  backup: string,
  options: { readonly header: BackupHeader; readonly replace: boolean },
): Promise<void> {
  const db = await openPostgres(url)
  try {
    // The lock of the migrations: no server may start on the incomplete schema.
    await db.transaction(async (tx) => {
      if ((await hasRows(tx)) && !options.replace)
        throw new ClawbooError(
          'request_invalid',
          'the PostgreSQL database already contains data; add --replace to delete it permanently',
        )
      await dropTables(tx)
      await insertBackup(tx, backup, options.header)
    }, 'migrations')
  } finally {
    await db.close()
  }
}

async function hasRows(tx: Db): Promise<boolean> {
  const { tables, numbered } = schemaTables(await appliedMigrations(tx))
  for (const table of tables) {
    const seeded = numbered.map(({ counter }) => `'${counter}'`).join(', ')
    const but = table === 'counters' && seeded ? raw(`WHERE name NOT IN (${seeded})`) : raw('')
    if (await tx.get(sql`SELECT 1 AS one FROM ${raw(table)} ${but} LIMIT 1`)) return true
  }
  return false
}

async function dropTables(tx: Db): Promise<void> {
  const { tables, functions } = schemaTables(await appliedMigrations(tx))
  await tx.run(raw(`DROP TABLE IF EXISTS ${['migrations', ...tables].join(', ')}`))
  for (const name of functions) await tx.run(raw(`DROP FUNCTION IF EXISTS ${name}`))
}

async function appliedMigrations(tx: Db) {
  const { columns } = await readTableShape(tx, 'migrations')
  if (columns.length === 0) return []
  const last = await tx.get<{ id: string }>(sql`SELECT id FROM migrations ORDER BY id DESC LIMIT 1`)
  const applied = last ? migrationsUpTo(MIGRATIONS, last.id) : []
  // This version does not know those tables, so it can neither empty nor keep them.
  if (!applied)
    throw new ClawbooError(
      'store_unavailable',
      `the database was upgraded by a newer version (${last?.id}); use that version of Clawboo`,
    )
  return applied
}
