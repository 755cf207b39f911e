import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { ClawbooError } from '@clawboo/core'
import { createCoalescedWakes } from '../coalesced-wakes.ts'
import { createDb } from '../create-db.ts'
import type { Engine, Execute } from '../engine.ts'
import { createListeners } from '../listeners.ts'
import { DEFAULT_CONFLICT_DEADLINE_MS, retryConflicts } from '../retry-conflicts.ts'
import type { Db } from '../sql.ts'
import { openSqliteConnection, type SqliteConnection } from './connection.ts'
import { createEventLoopShare } from './event-loop-share.ts'
import { createFairTurns } from './fair-turns.ts'
import { isSqliteBusy, translateSqliteError } from './sqlite-errors.ts'

/**
 * Opens the file, making it (readable by its owner alone) when it is missing. One connection writes, in fair turns;
 * reads have their own, so they wait neither for an open transaction nor for another process.
 */
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
    return createDb(createSqliteEngine(file, writer, reader, retry))
  } catch (error) {
    throw new ClawbooError('store_unavailable', `the database ${file} cannot be opened`, {
      cause: error,
      details: { file },
    })
  }
}

type Retry = <T>(attempt: () => T) => Promise<T>

function createSqliteEngine(file: string, writer: SqliteConnection, reader: SqliteConnection, retry: Retry): Engine {
  const turns = createFairTurns()
  const shareEventLoop = createEventLoopShare()
  const listeners = createListeners()
  const wakes = createCoalescedWakes(0, listeners.wake)
  let closed = false
  let closing: Promise<void> | undefined

  const demandUsable = () => {
    if (closed) throw new ClawbooError('store_unavailable', 'the database is closed')
  }

  const withTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const pass = await turns.take()
    try {
      demandUsable()
      return await work()
    } finally {
      pass()
    }
  }

  return {
    name: 'sqlite',
    mark: '?',
    async execute(kind, query) {
      await shareEventLoop()
      demandUsable()
      if (/^\s*select\b/i.test(query.text)) return retry(() => reader.execute(kind, query))
      return withTurn(() => retry(() => writer.execute(kind, query)))
    },
    transaction: (work) =>
      withTurn(async () => {
        // A deferred BEGIN would fail at its first write, after its reads were already used for decisions.
        await retry(() => writer.exec('BEGIN IMMEDIATE'))
        try {
          const result = await work(async (kind, query) => {
            await shareEventLoop()
            return writer.execute(kind, query)
          })
          writer.exec('COMMIT')
          return result
        } finally {
          writer.rollback()
        }
      }),
    async snapshot(work) {
      demandUsable()
      const connection = openSqliteConnection(file, { readOnly: true })
      try {
        connection.exec('BEGIN')
        // The view is fixed by the first read, not by BEGIN.
        await retry(() => connection.execute('get', { text: 'SELECT count(*) FROM sqlite_schema', values: [] }))
        return await work(async (kind, query) => {
          await shareEventLoop()
          return connection.execute(kind, query)
        })
      } finally {
        connection.close()
      }
    },
    // Writers are serial here, so a transaction already excludes every other.
    lock: async (_execute: Execute) => {},
    notify: wakes.add,
    listen: listeners.add,
    translate: translateSqliteError,
    close() {
      closing ??= withTurn(async () => {
        closed = true
        wakes.close()
        // The last connection to close folds the write-ahead log into the file, which a read-only one cannot do.
        reader.close()
        writer.close()
      })
      return closing
    },
  }
}

/** Closes the file to everyone else before anything is in it; its write-ahead log takes over the same mode. */
function keepPrivate(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  // An existing file is never opened here: closing it again would drop the locks this process holds on it.
  if (!stats) closeSync(openSync(file, 'wx', 0o600))
  else if (stats.isFile() && (stats.mode & 0o777) !== 0o600) chmodSync(file, 0o600)
}
