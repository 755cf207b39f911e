import { existsSync } from 'node:fs'
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { OperationOutput } from '@clawboo/api/client'
import { readToken } from '../../access/operator-token.ts'
import { openVault } from '../../access/vault.ts'
import { readTableShape } from '../../backup/table-shape.ts'
import type { Config } from '../../config.ts'
import { homeFiles } from '../../home.ts'
import { findInstallation } from '../../installation.ts'
import { MIGRATIONS } from '../../store/migrations/index.ts'
import { raw } from '../../store/sql.ts'
import { openSqliteConnection } from '../../store/sqlite/connection.ts'
import { quickCheck } from '../../store/sqlite/quick-check.ts'
import { VERSION } from '../../version.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { findServer } from '../server/running-server.ts'
import { formatColumns } from '../terminal/format-columns.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the installation and suggest fixes',
  actions: [
    {
      name: '',
      summary: 'Prints one line per check. Exits with 1 if a check fails.',
      run: (_, context) => examine(context),
    },
  ],
  examples: ['doctor', 'doctor --json'],
  notes: ['Changes nothing and prints no secrets.'],
}

async function examine({ config }: Context): Promise<Outcome> {
  const findings: Finding[] = [
    checkNode(),
    await checkHome(config.home),
    await checkToken(config.home),
    ...(await checkDatabase(config)),
    ...(await checkServer(config)),
    await checkDisk(config.home),
    checkPage(),
    ...(await checkVault(config)),
  ]
  const healthy = findings.every((finding) => finding.state !== 'fail')
  const rows = findings.map(({ state, check, detail, advice }) => [
    state,
    check,
    advice === undefined ? detail : `${detail} -> ${advice}`,
  ])
  return done({ healthy, findings }, formatColumns(rows), healthy ? EXIT_CODES.ok : EXIT_CODES.failed)
}

/** The result of one check; `advice` is the next step. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly detail: string
  readonly advice?: string
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail }
}

export function warn(check: string, detail: string, advice: string): Finding {
  return { check, state: 'warn', detail, advice }
}

export function fail(check: string, detail: string, advice: string): Finding {
  return { check, state: 'fail', detail, advice }
}

/** Accepts only errors of the system, the database or Clawboo itself: their messages contain no secret. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Checks the server and, if it is running, its sources. */
async function checkServer(config: Config): Promise<Finding[]> {
  try {
    const server = await findServer(config)
    if (server.state === 'stopped') return [warn('server', 'not running', 'run `clawboo start`')]
    if (server.state === 'silent')
      return [
        fail('server', 'a process uses the home folder but does not respond', 'wait a moment, then end that process'),
      ]
    const { version } = server.status
    const running =
      version === VERSION
        ? ok('server', `${version} answers at ${server.note.url}`)
        : warn(
            'server',
            `version ${version} is running, but this command is ${VERSION}`,
            'run `clawboo stop`, then `clawboo start`',
          )
    const { sources } = await server.client.listSources({})
    return [running, checkConfinement(server.status.confinement), ...sources.map(checkSource)]
  } catch (error) {
    return [fail('server', reasonOf(error), 'run `clawboo stop`, then `clawboo start`')]
  }
}

function checkConfinement({ isOn, reason, fix }: OperationOutput<'getStatus'>['confinement']): Finding {
  if (isOn) return ok('confinement', 'commands of Boos reach only their own folders')
  const advice = fix === null ? 'you are asked before every command' : `${fix}, then restart Clawboo`
  return warn('confinement', `commands are not confined: ${reason}`, advice)
}

function checkSource(source: { label: string; state: string; trouble: string; detail?: string }): Finding {
  const check = `source ${source.label}`
  if (source.trouble === 'none') return ok(check, source.state)
  return warn(check, [source.state, source.detail].filter(Boolean).join(': '), 'its Boos are shown as last seen')
}

const OLDEST_NODE = 24
const MIB = 1024 * 1024

function checkNode(): Finding {
  const { node } = process.versions
  return Number.parseInt(node, 10) >= OLDEST_NODE
    ? ok('node', node)
    : fail('node', `${node} is too old`, `install Node ${OLDEST_NODE} or newer`)
}

export async function checkHome(home: string): Promise<Finding> {
  // Whatever the reason, the warning below names the folder.
  const stats = await stat(home).catch(() => null)
  if (!stats) return warn('home', `${home} does not exist yet`, 'run `clawboo start`')
  if (!stats.isDirectory()) return fail('home', `${home} is not a folder`, 'choose another with CLAWBOO_HOME')
  return isPrivate(stats.mode) ? ok('home', home) : fail('home', `other users can read ${home}`, `chmod 700 ${home}`)
}

async function checkToken(home: string): Promise<Finding> {
  const file = homeFiles(home).token
  // Any failure here means that no token can be used yet.
  const stats = await stat(file).catch(() => null)
  if (!stats) return warn('token', 'none yet', 'run `clawboo start`')
  // Check before reading: `readToken` tightens the permissions.
  if (!isPrivate(stats.mode))
    return fail('token', 'other users can read it', `chmod 600 ${file} && clawboo token rotate`)
  try {
    await readToken(file)
    return ok('token', 'readable only by its owner')
  } catch (error) {
    return fail('token', reasonOf(error), `delete ${file} and run \`clawboo start\``)
  }
}

async function checkDisk(home: string): Promise<Finding> {
  const space = await statfs(home).catch(() => null)
  if (!space) return warn('disk', 'unknown', 'run `clawboo start`')
  const free = Math.floor((space.bavail * space.bsize) / MIB)
  const detail = `${free} MiB free`
  if (free < 100) return fail('disk', detail, 'free some space: a full disk stops every write')
  return free < 1024 ? warn('disk', detail, 'free some space soon') : ok('disk', detail)
}

function checkPage(): Finding {
  return existsSync(join(findInstallation().page, 'index.html'))
    ? ok('page', 'built')
    : warn('page', 'not built', 'run `npm start`, which builds it')
}

function isPrivate(mode: number): boolean {
  return (mode & 0o077) === 0
}

/**
 * Decrypts every secret without printing any. Reads the folder first, because opening a vault without a key would
 * create one.
 */
async function checkVault(config: Config): Promise<Finding[]> {
  const files = await readdir(join(config.home, 'secrets')).catch((error: NodeJS.ErrnoException): string[] | Error =>
    error.code === 'ENOENT' ? [] : error,
  )
  if (files instanceof Error) return [fail('vault', files.message, 'make the secrets folder readable for its owner')]
  if (files.length === 0) return [ok('vault', 'no secrets stored')]
  const hasKey = config.masterKey !== null || files.includes('master.key')
  if (!hasKey)
    return [
      fail('master key', 'missing', 'set CLAWBOO_MASTER_KEY, or copy secrets/master.key back from your own backup'),
    ]
  try {
    const vault = await openVault(config.home, config.masterKey)
    const names = await vault.names()
    const unreadable: string[] = []
    for (const name of names) await vault.read(name).catch(() => unreadable.push(name))
    const key = ok('master key', config.masterKey === null ? 'in the home folder' : 'from CLAWBOO_MASTER_KEY')
    if (unreadable.length === 0) return [key, ok('vault', `${names.length} secrets, all readable`)]
    return [
      key,
      fail(
        'vault',
        `unreadable: ${unreadable.join(', ')}`,
        'set these again, or use the master key that encrypted them',
      ),
    ]
  } catch (error) {
    return [fail('master key', reasonOf(error), 'make secrets/master.key readable for its owner')]
  }
}

const EMPTY = warn('database', 'empty', 'run `clawboo start`')
const READ_MIGRATIONS = 'SELECT id FROM migrations ORDER BY id'
const RESTORE = 'stop the server and restore a backup with `clawboo restore`'

async function checkDatabase(config: Config): Promise<Finding[]> {
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
