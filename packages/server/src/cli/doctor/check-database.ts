import { existsSync } from 'node:fs'
import { readTableShape } from '../../backup/table-shape.ts'
import type { Config } from '../../config.ts'
import { homeFiles } from '../../home.ts'
import { MIGRATIONS } from '../../store/migrations/index.ts'
import { raw } from '../../store/sql.ts'
import { openSqliteConnection } from '../../store/sqlite/connection.ts'
import { quickCheck } from '../../store/sqlite/quick-check.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const EMPTY = warn('database', 'empty', 'run `clawboo start`')
const READ_MIGRATIONS = 'SELECT id FROM migrations ORDER BY id'
const RESTORE = 'stop the server and restore a backup with `clawboo restore`'

export async function checkDatabase(config: Config): Promise<Finding[]> {
  return config.databaseUrl === null ? checkSqlite(homeFiles(config.home).database) : checkPostgres(config.databaseUrl)
}

function checkSqlite(file: string): Finding[] {
  if (!existsSync(file)) return [EMPTY]
  try {
    const problems = quickCheck(file)
    if (problems.length > 0) return [fail('database', problems.join('; '), RESTORE)]
    const connection = openSqliteConnection(file, { readOnly: true })
    try {
      const read = (text: string) => connection.execute('all', { text, values: [] }) as { id: string }[]
      if (read("SELECT name AS id FROM sqlite_schema WHERE name = 'migrations'").length === 0) return [EMPTY]
      return [ok('database', `${file} is sound`), checkMigrations(read(READ_MIGRATIONS))]
    } finally {
      connection.close()
    }
  } catch (error) {
    return [fail('database', `${file}: ${reasonOf(error)}`, RESTORE)]
  }
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const { openPostgres } = await import('../../store/postgres/open-postgres.ts')
  try {
    const db = await openPostgres(url)
    try {
      if ((await readTableShape(db, 'migrations')).columns.length === 0) return [EMPTY]
      return [ok('database', 'PostgreSQL answers'), checkMigrations(await db.all<{ id: string }>(raw(READ_MIGRATIONS)))]
    } finally {
      await db.close()
    }
  } catch (error) {
    return [fail('database', reasonOf(error), 'check CLAWBOO_DATABASE_URL and that the database server is running')]
  }
}

function checkMigrations(rows: readonly { readonly id: string }[]): Finding {
  const applied = rows.map((row) => row.id)
  const known = MIGRATIONS.map((migration) => migration.id)
  const unknown = applied.filter((id) => !known.includes(id))
  if (unknown.length > 0)
    return fail('migrations', `a newer version applied ${unknown.join(', ')}`, 'use that version of Clawboo')
  const pending = known.filter((id) => !applied.includes(id))
  return pending.length === 0
    ? ok('migrations', `all ${known.length} applied`)
    : warn('migrations', `${pending.length} to apply`, 'the next start applies them; make a backup first')
}
