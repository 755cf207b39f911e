import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { Config } from '../../config.ts'
import { homeFiles } from '../../home.ts'
import type { Db } from '../../store/sql.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import type { Arguments } from '../parse-arguments.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'save everything into one file, also while the server runs',
  actions: [
    {
      name: '',
      summary: 'Writes the database and the Boos’ files and transcripts as they are at one moment.',
      parameters: ['[file]'],
      run: backup,
    },
  ],
  examples: ['backup', 'backup ~/boos.backup.gz', 'backup --json'],
  notes: [
    'Without a name it is backups/clawboo-<time>.backup.gz in the home. It fits SQLite and PostgreSQL alike.',
    'It holds no secret of Clawboo: not the token, the vault, its key, cookies, logs or caches. What Boos and',
    'people have written, in files and messages, is in it as it is.',
  ],
}

async function backup(args: Arguments, { config }: Context): Promise<Outcome> {
  const file = resolve(args.parameter(0) ?? defaultFile(config.home))
  const { writeBackup } = await import('../../backup/write-backup.ts')
  const db = await openExisting(config)
  try {
    const summary = await writeBackup({ db, home: config.home, file })
    const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0)
    const leftOut = summary.leftOut.map((path) => `Left out (too large, or not a plain file): ${path}`)
    const counts = `${rows} rows, ${summary.files} files, ${Math.ceil(summary.bytes / 1024)} KiB`
    return done(summary, [`Saved ${summary.file} (${counts})`, ...leftOut].join('\n'))
  } finally {
    await db.close()
  }
}

function defaultFile(home: string): string {
  return join(home, 'backups', `clawboo-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.backup.gz`)
}

/** Does not upgrade what it saves. */
async function openExisting(config: Config): Promise<Db> {
  if (config.databaseUrl !== null) {
    const { openPostgres } = await import('../../store/postgres/open-postgres.ts')
    return openPostgres(config.databaseUrl)
  }
  const { database } = homeFiles(config.home)
  if (!existsSync(database)) throw new ClawbooError('file_not_found', `the home ${config.home} has no database yet`)
  return openSqlite(database)
}
