import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ClawbooError } from '@clawboo/core'
import { homeFiles } from '../home.ts'
import { fieldName } from '../store/field-name.ts'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { type Db, list, raw, type SqlValue, sql } from '../store/sql.ts'
import { VERSION } from '../version.ts'
import { readAgentData } from './agent-data.ts'
import { BACKUP_FORMAT, BACKUP_FORMAT_VERSION, type BackupHeader, storedRow } from './backup-format.ts'
import { migrationsUpTo, type SchemaTables, schemaTables } from './schema-tables.ts'
import { syncFolder } from './sync-folder.ts'
import { readTableShape } from './table-shape.ts'

interface BackupSummary {
  readonly file: string
  readonly bytes: number
  readonly createdAt: number
  readonly lastMigration: string
  readonly rows: Readonly<Record<string, number>>
  readonly files: number
  /** Agent files that are too large or not plain. */
  readonly leftOut: readonly string[]
}

const ROWS_PER_PAGE = 100

/**
 * Writes a consistent copy of the database and the agents' workspaces and transcripts into a new file, while writes
 * continue. The file appears under its name once it is complete. It contains no token, secret, key, log or cache.
 */
export async function writeBackup(options: {
  readonly db: Db
  readonly home: string
  readonly file: string
}): Promise<BackupSummary> {
  const { db, home, file } = options
  const temporary = `${file}.${randomBytes(4).toString('hex')}.new`
  await makeFolder(dirname(file))
  if (existsSync(file)) throw new ClawbooError('path_refused', `${file} exists already`)
  try {
    // The snapshot may be retried, so each attempt opens the file again.
    const { writer, header, rows } = await db.snapshot((tx) => writeRows(tx, temporary))
    const { files, leftOut } = await writeFiles(writer, homeFiles(home).runtimes)
    await writer.finish((sha256) => ({ end: true, rows, files, sha256 }))
    await rename(temporary, file)
    await syncFolder(dirname(file))
    const { createdAt, lastMigration } = header
    return { file, bytes: (await stat(file)).size, createdAt, lastMigration, rows, files, leftOut }
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Creates one level only: a longer missing path is probably a typing mistake. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new ClawbooError('path_refused', `the folder ${folder} cannot be created: ${(cause as Error).message}`, {
      cause,
    })
  }
}

async function writeRows(tx: Db, file: string) {
  const header = await makeHeader(tx)
  const schema = schemaTables(migrationsUpTo(MIGRATIONS, header.lastMigration)!)
  const writer = createBackupWriter(file)
  const rows: Record<string, number> = {}
  try {
    await writer.write([header])
    for (const table of schema.tables) {
      rows[table] = 0
      for await (const page of pagesOf(tx, table)) {
        const kept = page.filter((row) => !isNumbering(schema, table, row))
        await writer.write(kept.map((row) => [table, storedRow(row)]))
        rows[table] += kept.length
      }
    }
    return { writer, header, rows }
  } catch (error) {
    await writer.discard()
    throw error
  }
}

async function makeHeader(tx: Db): Promise<BackupHeader> {
  const { columns } = await readTableShape(tx, 'migrations')
  const applied = columns.length === 0 ? [] : await tx.all<{ id: string }>(sql`SELECT id FROM migrations ORDER BY id`)
  const lastMigration = applied.at(-1)?.id
  if (lastMigration === undefined) throw new ClawbooError('store_unavailable', 'the database is empty')
  const migrations = migrationsUpTo(MIGRATIONS, lastMigration)
  if (migrations?.length !== applied.length)
    throw new ClawbooError(
      'store_unavailable',
      `the database was upgraded by a newer version (${lastMigration}); use that version of Clawboo`,
    )
  return {
    format: BACKUP_FORMAT,
    formatVersion: BACKUP_FORMAT_VERSION,
    productVersion: VERSION,
    lastMigration,
    createdAt: Date.now(),
    tables: [...schemaTables(migrations).tables],
  }
}

type Row = Readonly<Record<string, SqlValue>>

/** Pages by primary key: the same order on both engines, and no page twice. */
async function* pagesOf(tx: Db, table: string): AsyncGenerator<Row[]> {
  const { columns, primaryKey } = await readTableShape(tx, table)
  if (primaryKey.length === 0) throw new TypeError(`the table ${table} has no primary key to page by`)
  const key = raw(primaryKey.join(', '))
  let after = raw('')
  for (;;) {
    const found = await tx.all<Row>(
      sql`SELECT * FROM ${raw(table)} ${after} ORDER BY ${key} LIMIT ${raw(String(ROWS_PER_PAGE))}`,
    )
    const page = found.map((row) => byColumn(columns, row))
    if (page.length > 0) yield page
    if (page.length < ROWS_PER_PAGE) return
    after = sql`WHERE (${key}) > (${list(primaryKey.map((column) => page.at(-1)![column]!))})`
  }
}

/** A backup names values by column, so that it can be restored whatever the fields of a row are called. */
function byColumn(columns: readonly string[], row: Row): Row {
  return Object.fromEntries(columns.map((column) => [column, row[fieldName(column)]!]))
}

/** One engine keeps the last number in `counters`, the other beside the table; a restore sets it from the rows. */
function isNumbering(schema: SchemaTables, table: string, row: Row): boolean {
  return table === 'counters' && schema.numbered.some(({ counter }) => counter === row.name)
}

async function writeFiles(writer: BackupWriter, root: string): Promise<{ files: number; leftOut: string[] }> {
  const leftOut: string[] = []
  let files = 0
  try {
    for await (const entry of readAgentData(root)) {
      if ('leftOut' in entry) leftOut.push(entry.leftOut)
      else {
        await writer.write([entry])
        files += 1
      }
    }
    return { files, leftOut }
  } catch (error) {
    await writer.discard()
    throw error
  }
}

type BackupWriter = ReturnType<typeof createBackupWriter>

/** Compresses lines into a file that only its owner can read. Buffers a bounded number of them. */
function createBackupWriter(file: string) {
  const hash = createHash('sha256')
  const gzip = createGzip()
  const written = pipeline(gzip, createWriteStream(file, { flags: 'w', mode: 0o600, flush: true }))
  // A full disk is reported by the next `write` or `finish`; until then nothing awaits this promise.
  written.catch(() => {})

  const send = async (text: string) => {
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written])
  }

  return {
    async write(lines: readonly unknown[]) {
      if (gzip.destroyed) await written
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      hash.update(text)
      await send(text)
    },
    /** Resolves when the last byte is on disk. `footer` receives the hash of all earlier lines. */
    async finish(footer: (sha256: string) => unknown) {
      gzip.end(`${JSON.stringify(footer(hash.digest('hex')))}\n`)
      await written
    },
    async discard() {
      gzip.destroy()
      // Destroying the stream rejects this promise; wait for its end and ignore the error.
      await written.catch(() => {})
    },
  }
}
