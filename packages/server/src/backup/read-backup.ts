import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { ClawbooError } from '@clawboo/core'
import type { z } from 'zod'
import { MIGRATIONS } from '../store/migrations/index.ts'
import {
  BACKUP_FORMAT_VERSION,
  type BackupFile,
  type BackupFooter,
  type BackupHeader,
  type BackupRow,
  backupFileSchema,
  backupFooterSchema,
  backupHeaderSchema,
  backupRowSchema,
} from './backup-format.ts'
import { migrationsUpTo, schemaTables } from './schema-tables.ts'

type BackupEntry =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'row'; readonly table: string; readonly row: BackupRow[1] }
  | { readonly kind: 'file'; readonly file: BackupFile }
  /** Yielded only after the counts and the hash are verified. */
  | { readonly kind: 'end'; readonly footer: BackupFooter }

/** A line is one row or one file; a longer line is not from a backup of ours. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * Reads a backup from its header to its end. Rejects with `backup_unreadable` at the first defect, including a missing
 * end: a caller must be able to undo its work until `end` arrives.
 */
export async function* readBackup(file: string): AsyncGenerator<BackupEntry> {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  let files = 0
  let header: BackupHeader | null = null
  let ended = false
  for await (const line of linesOf(file)) {
    if (ended) throw unreadable('it continues after its end')
    const value = parseLine(line)
    if (header === null) {
      header = readHeader(value)
      for (const table of header.tables) rows[table] = 0
      yield { kind: 'header', header }
    } else if (Array.isArray(value)) {
      const [table, row] = check(backupRowSchema, value)
      if (rows[table] === undefined) throw unreadable('it contains a row of a table that its header does not list')
      rows[table] += 1
      yield { kind: 'row', table, row }
    } else if (typeof value === 'object' && value !== null && 'end' in value) {
      const footer = check(backupFooterSchema, value)
      if (footer.sha256 !== hash.digest('hex')) throw unreadable('its content was altered')
      if (footer.files !== files || !sameCounts(footer.rows, rows)) throw unreadable('its row counts are wrong')
      ended = true
      yield { kind: 'end', footer }
    } else {
      const entry = check(backupFileSchema, value)
      files += 1
      yield { kind: 'file', file: entry }
    }
    if (!ended) hash.update(line).update('\n')
  }
  if (!ended) throw unreadable('its end is missing')
}

/** Reads the whole backup once, only to verify it. */
export async function verifyBackup(file: string): Promise<{ header: BackupHeader; footer: BackupFooter }> {
  let header: BackupHeader | undefined
  let footer: BackupFooter | undefined
  for await (const entry of readBackup(file)) {
    if (entry.kind === 'header') header = entry.header
    if (entry.kind === 'end') footer = entry.footer
  }
  return { header: header!, footer: footer! }
}

function readHeader(value: unknown): BackupHeader {
  const header = check(backupHeaderSchema, value)
  const migrations = migrationsUpTo(MIGRATIONS, header.lastMigration)
  if (header.formatVersion !== BACKUP_FORMAT_VERSION || migrations === null) {
    throw unreadable(`it was made by a newer version (${header.productVersion}); restore it with that version`)
  }
  if (header.tables.toSorted().join() !== schemaTables(migrations).tables.toSorted().join())
    throw unreadable('its tables do not match its version')
  return header
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const source = createReadStream(file).on('error', (error) => gunzip.destroy(error))
  try {
    let rest: Buffer[] = []
    let restBytes = 0
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, end)])
        rest = []
        restBytes = 0
        start = end + 1
      }
      rest.push(chunk.subarray(start))
      restBytes += chunk.length - start
      if (restBytes > MAX_LINE_BYTES) throw unreadable('a line is too long')
    }
    if (restBytes > 0) throw unreadable('its last line is truncated')
  } catch (error) {
    throw readFailure(file, error)
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

function readFailure(file: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOENT') return new ClawbooError('file_not_found', `the file ${file} does not exist`, { cause: error })
  if (code.startsWith('Z_')) return unreadable('it is truncated, altered or not a backup', error)
  return error
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch (error) {
    throw unreadable('a line is not JSON', error)
  }
}

function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (!result.success) throw unreadable('a line does not belong in a backup', result.error)
  return result.data
}

function sameCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  return Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, count]) => b[key] === count)
}

function unreadable(why: string, cause?: unknown): ClawbooError {
  return new ClawbooError('backup_unreadable', `the backup cannot be used: ${why}`, { cause })
}
