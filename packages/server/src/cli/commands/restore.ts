import { resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { homeFiles } from '../../home.ts'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { isHomeLocked } from '../server/running-server.ts'
import { confirm, YES_OPTION } from '../terminal/confirm.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'restore from a backup',
  actions: [
    {
      name: '',
      summary: 'Checks the whole backup first. A damaged backup changes nothing.',
      parameters: ['<file>'],
      options: {
        ...YES_OPTION,
        replace: { type: 'flag', summary: 'PostgreSQL: delete the existing data first' },
      },
      run: restore,
    },
  ],
  examples: ['restore ~/boos.backup.gz', 'restore ~/boos.backup.gz --yes --json'],
  notes: [
    'Stop the server first. The old SQLite database and the Boos’ old files stay in the home folder under names that',
    'end in before-restore-<time>. The token and the vault are not changed.',
  ],
}

async function restore(args: Arguments, context: Context): Promise<Outcome> {
  const { home, databaseUrl } = context.config
  const file = resolve(args.needed(0))
  if (isHomeLocked(homeFiles(home).lock))
    throw new ClawbooError('server_running', 'the server is running; stop it with `clawboo stop`, then restore')
  const { restoreBackup, verifyBackup } = await loadBackup()
  if (!args.flag('yes')) await verifyBackup(file)
  if (!(await confirm(`Replace the contents of ${home} with ${file}?`, args, context)))
    return done({ restored: false }, 'Nothing was changed', EXIT_CODES.failed)
  const summary = await restoreBackup({ file, home, databaseUrl, replace: args.flag('replace') })
  const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0)
  const kept = [summary.keptDatabase, summary.keptWorkspaces].filter((path) => path !== null)
  return done(
    { restored: true, ...summary },
    [
      `Restored the backup of ${new Date(summary.createdAt).toISOString()} (${rows} rows, ${summary.files} files)`,
      ...kept.map((path) => `Previous data: ${path}`),
    ].join('\n'),
  )
}

/** Loaded on demand: the schemas that check every line are slow to load. */
async function loadBackup() {
  const [{ restoreBackup }, { verifyBackup }] = await Promise.all([
    import('../../backup/restore-backup.ts'),
    import('../../backup/read-backup.ts'),
  ])
  return { restoreBackup, verifyBackup }
}
