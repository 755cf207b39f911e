import { ClawbooError } from '@clawboo/core'
import { type Db, sql } from '../sql.ts'
import { fitDdl } from './fit-ddl.ts'
import { MIGRATIONS } from './index.ts'
import type { Migration } from './migration.ts'

/**
 * Migrates the schema to this build, in one transaction that only one starting server runs. Resolves to the applied ids.
 * Refuses a database of a newer build with `store_unavailable` and leaves it unchanged.
 */
export function migrate(db: Db, migrations: readonly Migration[] = MIGRATIONS): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.run(fitDdl(tx.engine, 'CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY, at INTEGER NOT NULL)'))
    const applied = new Set(
      (await tx.all<{ id: string }>(sql`SELECT id FROM migrations ORDER BY id`)).map((row) => row.id),
    )
    refuseNewerDatabase(applied, migrations)

    const pending = migrations.filter((migration) => !applied.has(migration.id))
    for (const migration of pending) {
      const statements = typeof migration.up === 'function' ? migration.up(tx.engine) : migration.up
      for (const statement of statements) await tx.run(fitDdl(tx.engine, statement))
      await tx.run(sql`INSERT INTO migrations (id, at) VALUES (${migration.id}, ${Date.now()})`)
    }
    return pending.map((migration) => migration.id)
  }, 'migrations')
}

function refuseNewerDatabase(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const unknown = [...applied].filter((id) => !migrations.some((migration) => migration.id === id))
  if (unknown.length === 0) return
  throw new ClawbooError(
    'store_unavailable',
    `a newer version has upgraded the database: this version does not have ${unknown.join(', ')}`,
    { details: { unknownMigrations: unknown } },
  )
}
