import { resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { homeFiles } from '../../home.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { confirm, YES_OPTION } from '../confirm.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import type { Arguments } from '../parse-arguments.ts'
import { isHomeLocked } from '../running-server.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'put a backup in the place of what is there',
  actions: [
    {
      name: '',
      summary: 'Checks all of the backup first; a damaged one changes nothing.',
      parameters: ['<file>'],
      options: {
        ...YES_OPTION,
        replace: { type: 'flag', summary: 'PostgreSQL: delete the data that the database has' },
      },
      run: restore,
    },
  ],
  examples: ['restore ~/boos.backup.gz', 'restore ~/boos.backup.gz --yes --json'],
  notes: [
    'The server must be stopped. The old SQLite database and the Boos’ old files stay in the home under a name that',
    'ends in before-restore-<time>. The token and the vault stay as they are.',
  ],
}

async function restore(args: Arguments, context: Context): Promise<Outcome> {
  const { home, databaseUrl } = context.config
  const file = resolve(args.needed(0))
  if (isHomeLocked(homeFiles(home).lock))
    throw new ClawbooError('server_running', 'the server runs; stop it with `clawboo stop` before you restore')
  const { restoreBackup, verifyBackup } = await loadBackup()
  if (!args.flag('yes')) await verifyBackup(file)
  if (!(await confirm(`Replace what is in ${home} with ${file}?`, args, context)))
    return done({ restored: false }, 'Nothing was changed', EXIT_CODES.failed)
  const summary = await restoreBackup({ file, home, databaseUrl, replace: args.flag('replace') })
  const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0)
  const kept = [summary.keptDatabase, summary.keptWorkspaces].filter((path) => path !== null)
  return done(
    { restored: true, ...summary },
    [
      `Restored the backup of ${new Date(summary.createdAt).toISOString()} (${rows} rows, ${summary.files} files)`,
      ...kept.map((path) => `What was there before: ${path}`),
    ].join('\n'),
  )
}

/** Only when it is needed: the checks of every line make it slow to load. */
async function loadBackup() {
  const [{ restoreBackup }, { verifyBackup }] = await Promise.all([
    import('../../backup/restore-backup.ts'),
    import('../../backup/read-backup.ts'),
  ])
  return { restoreBackup, verifyBackup }
}
