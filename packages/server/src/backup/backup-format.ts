import { z } from 'zod'
import type { SqlValue } from '../store/sql.ts'

/*
 * A backup is gzipped JSON lines: the header, one array per row, one object per agent file, the footer. The lines are
 * the same for every engine.
 */

export const BACKUP_FORMAT = 'clawboo-backup'
export const BACKUP_FORMAT_VERSION = 1

/** Larger files are left out, so that a line fits into memory. */
export const MAX_BACKUP_FILE_BYTES = 8 * 1024 * 1024
export const MAX_BACKUP_TRANSCRIPT_BYTES = 32 * 1024 * 1024

export const backupHeaderSchema = z.object({
  format: z.literal(BACKUP_FORMAT),
  formatVersion: z.number().int(),
  productVersion: z.string(),
  lastMigration: z.string(),
  createdAt: z.number().int(),
  tables: z.array(z.string()),
})
export type BackupHeader = z.infer<typeof backupHeaderSchema>

/** Bytes are stored as `{ base64 }`; all other values as plain JSON. */
const storedValueSchema = z.union([z.string(), z.number(), z.null(), z.strictObject({ base64: z.string() })])
export const backupRowSchema = z.tuple([z.string(), z.record(z.string(), storedValueSchema)])
export type BackupRow = z.infer<typeof backupRowSchema>

export const backupFileSchema = z.strictObject({
  file: z.string(),
  executable: z.boolean(),
  base64: z.string(),
})
export type BackupFile = z.infer<typeof backupFileSchema>

export const backupFooterSchema = z.strictObject({
  end: z.literal(true),
  rows: z.record(z.string(), z.number().int()),
  files: z.number().int(),
  /** The hash of every byte before this line, uncompressed. */
  sha256: z.string(),
})
export type BackupFooter = z.infer<typeof backupFooterSchema>

export function storedRow(row: Readonly<Record<string, unknown>>): BackupRow[1] {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array
        ? { base64: Buffer.from(value).toString('base64') }
        : (value as string | number | null),
    ]),
  )
}

export function sqlValue(value: BackupRow[1][string]): SqlValue {
  return typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value
}
