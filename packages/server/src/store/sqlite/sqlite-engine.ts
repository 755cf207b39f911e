import { ClawbooError } from '@clawboo/core'
import { createCoalescedWakes } from '../coalesced-wakes.ts'
import type { Engine, Execute } from '../engine.ts'
import { createListeners } from '../listeners.ts'
import { openSqliteConnection, type SqliteConnection } from './connection.ts'
import { createEventLoopShare, type EventLoopShare } from './event-loop-share.ts'
import { createFairTurns } from './fair-turns.ts'
import { translateSqliteError } from './sqlite-errors.ts'

export interface SqliteEngineParts {
  readonly file: string
  readonly writer: SqliteConnection
  readonly reader: SqliteConnection
  /** Repeats an attempt while another process keeps the file busy. */
  readonly retry: <T>(attempt: () => T) => Promise<T>
}

/** One connection writes, in fair turns; reads have their own, so they wait neither for a transaction nor for another process. */
export function createSqliteEngine({ file, writer, reader, retry }: SqliteEngineParts): Engine {
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
    await shareEventLoop()
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
      if (!/^\s*select\b/i.test(query.text)) return withTurn(() => retry(() => writer.execute(kind, query)))
      await shareEventLoop()
      demandUsable()
      return retry(() => reader.execute(kind, query))
    },
    transaction: (work) =>
      withTurn(async () => {
        // A deferred BEGIN would fail at its first write, after its reads were already used for decisions.
        await retry(() => writer.exec('BEGIN IMMEDIATE'))
        try {
          const result = await workOn(writer, shareEventLoop, work)
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
        return await workOn(connection, shareEventLoop, work)
      } finally {
        connection.close()
      }
    },
    // Writers are serial here, so a transaction already excludes every other.
    lock: async () => {},
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

/** Settles only when no statement of `work` is left, not even one that it did not await. */
async function workOn<T>(
  connection: SqliteConnection,
  share: EventLoopShare,
  work: (execute: Execute) => Promise<T>,
): Promise<T> {
  let lastPause: Promise<void> | undefined
  const execute: Execute = async (kind, query) => {
    const pause = share()
    if (pause) {
      lastPause = pause
      await pause
    }
    return connection.execute(kind, query)
  }
  try {
    return await work(execute)
  } finally {
    await lastPause
  }
}
