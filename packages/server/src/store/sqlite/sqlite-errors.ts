import { ClawbooError } from '@clawboo/core'
import { StoreConflict } from '../store-conflict.ts'

const BUSY = new Set([5, 261, 517])
const UNIQUE = new Set([1555, 2067, 2579])
const FOREIGN_KEY = 787
/** Primary result codes for an unusable file: read-only, I/O error, corrupt, full, cannot open, not a database. */
const UNUSABLE = new Set([8, 10, 11, 13, 14, 26])

export function isSqliteBusy(error: unknown): boolean {
  return BUSY.has(errcode(error))
}

export function translateSqliteError(error: unknown): unknown {
  const code = errcode(error)
  if (UNIQUE.has(code)) return new StoreConflict('unique', error as Error)
  if (code === FOREIGN_KEY) return new StoreConflict('foreign-key', error as Error)
  if (BUSY.has(code))
    return new ClawbooError('store_unavailable', 'another process has locked the database', { cause: error })
  if (UNUSABLE.has(code & 0xff)) {
    return new ClawbooError('store_unavailable', `the database cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return error
}

function errcode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : 0
  return typeof code === 'number' ? code : 0
}
