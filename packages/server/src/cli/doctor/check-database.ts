import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { homeFiles } from '../../home.ts'
import { MIGRATIONS } from '../../store/migrations/index.ts'
import { openSqliteConnection } from '../../store/sqlite/connection.ts'
import { quickCheck } from '../../store/sqlite/quick-check.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const READ_MIGRATIONS = 'SELECT id FROM migrations ORDER BY id'
const RESTORE = 'stop the server and restore a backup with `clawboo restore`'

export async function checkDatabase(config: Config): Promise<Finding[]> {
  return config.databaseUrl === null ? checkSqlite(homeFiles(config.home).database) : checkPostgres(config.databaseUrl)
}

function checkSqlite(file: string): Finding[] {
  if (!existsSync(file)) return [warn('database', 'none yet', 'run `clawboo start`')]
  try {
    const problems = quickCheck(file)
    if (problems.length > 0) return [fail('database', problems.join('; '), RESTORE)]
    const connection = openSqliteConnection(file, { readOnly: true })
    try {
      const rows = connection.execute('all', { text: READ_MIGRATIONS, values: [] }) as { id: string }[]
      return [ok('database', `${file} is sound`), checkMigrations(rows.map((row) => row.id))]
    } finally {
      connection.close()
    }
  } catch (error) {
    return [fail('database', `${file}: ${reasonOf(error)}`, RESTORE)]
  }
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const [{ openPostgres }, { raw }] = await Promise.all([
    import('../../store/postgres/open-postgres.ts'),
    import('../../store/sql.ts'),
  ])
  try {
    const db = await openPostgres(url)
    try {
      const rows = await db.all<{ id: string }>(raw(READ_MIGRATIONS))
      return [ok('database', 'PostgreSQL answers'), checkMigrations(rows.map((row) => row.id))]
    } finally {
      await db.close()
    }
  } catch (error) {
    return [fail('database', reasonOf(error), 'check CLAWBOO_DATABASE_URL and that the database server runs')]
  }
}

function checkMigrations(applied: readonly string[]): Finding {
  const known = MIGRATIONS.map((migration) => migration.id)
  const unknown = applied.filter((id) => !known.includes(id))
  if (unknown.length > 0)
    return fail('migrations', `a newer version made ${unknown.join(', ')}`, 'use that version of Clawboo')
  const pending = known.filter((id) => !applied.includes(id))
  return pending.length === 0
    ? ok('migrations', `all ${known.length} applied`)
    : warn('migrations', `${pending.length} to apply`, 'the next start applies them; take a backup before')
}
