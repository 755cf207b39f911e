import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { Config } from '../../config.ts'
import { homeFiles } from '../../home.ts'
import type { Db } from '../../store/sql.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'back up everything to one file, even while the server is running',
  actions: [
    {
      name: '',
      summary: 'Writes a consistent copy of the database and the Boos’ files and transcripts.',
      parameters: ['[file]'],
      run: backup,
    },
  ],
  examples: ['backup', 'backup ~/boos.backup.gz', 'backup --json'],
  notes: [
    'The default file is backups/clawboo-<time>.backup.gz in the home folder. It restores to SQLite or PostgreSQL.',
    'It contains none of Clawboo’s secrets: no token, vault, master key, cookies, logs or caches. Everything that',
    'Boos and people wrote in files and messages is included unchanged.',
  ],
}

async function backup(args: Arguments, { config }: Context): Promise<Outcome> {
  const file = resolve(args.parameter(0) ?? defaultFile(config.home))
  const { writeBackup } = await import('../../backup/write-backup.ts')
  const db = await openExisting(config)
  try {
    const summary = await writeBackup({ db, home: config.home, file })
    const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0)
    const leftOut = summary.leftOut.map((path) => `Skipped (too large, or not a plain file): ${path}`)
    const counts = `${rows} rows, ${summary.files} files, ${Math.ceil(summary.bytes / 1024)} KiB`
    return done(summary, [`Saved ${summary.file} (${counts})`, ...leftOut].join('\n'))
  } finally {
    await db.close()
  }
}

function defaultFile(home: string): string {
  return join(home, 'backups', `clawboo-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.backup.gz`)
}

/** Opens the database without migrating it: a backup must not change it. */
async function openExisting(config: Config): Promise<Db> {
  if (config.databaseUrl !== null) {
    const { openPostgres } = await import('../../store/postgres/open-postgres.ts')
    return openPostgres(config.databaseUrl)
  }
  const { database } = homeFiles(config.home)
  if (!existsSync(database))
    throw new ClawbooError(
      'file_not_found',
      `the home folder ${config.home} has no database yet; run \`clawboo start\` first`,
    )
  return openSqlite(database)
}
