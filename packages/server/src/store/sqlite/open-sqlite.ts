import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { ClawbooError } from '@clawboo/core'
import { createDb } from '../create-db.ts'
import { DEFAULT_CONFLICT_DEADLINE_MS, retryConflicts } from '../retry-conflicts.ts'
import type { Db } from '../sql.ts'
import { openSqliteConnection } from './connection.ts'
import { createSqliteEngine } from './sqlite-engine.ts'
import { isSqliteBusy } from './sqlite-errors.ts'

/** Opens the file. Creates a missing file that only its owner can read. The folder must exist. */
export async function openSqlite(file: string, options: { conflictDeadlineMs?: number } = {}): Promise<Db> {
  const deadlineMs = options.conflictDeadlineMs ?? DEFAULT_CONFLICT_DEADLINE_MS
  const retry = <T>(attempt: () => T) => retryConflicts(attempt, isSqliteBusy, deadlineMs)
  try {
    keepPrivate(file)
    const writer = openSqliteConnection(file, { readOnly: false })
    await retry(() => writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')).catch((error) => {
      writer.close()
      throw error
    })
    const reader = openSqliteConnection(file, { readOnly: true })
    return createDb(createSqliteEngine({ file, writer, reader, retry }))
  } catch (error) {
    throw new ClawbooError('store_unavailable', `the database ${file} cannot be opened`, {
      cause: error,
      details: { file },
    })
  }
}

/** Denies access to other users before the file has content. The write-ahead log gets the same mode. */
function keepPrivate(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  // Opening and closing an existing file here would release the locks that this process has on it.
  if (!stats) createPrivateFile(file)
  else if (stats.isFile() && (stats.mode & 0o777) !== 0o600) chmodSync(file, 0o600)
}

function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // Another process that starts at the same time may have created the file, with the same mode.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
