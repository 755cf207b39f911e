import { ClawbooError } from '@clawboo/core'
import { createCoalescedWakes } from '../coalesced-wakes.ts'
import type { Engine, Execute } from '../engine.ts'
import { createListeners } from '../listeners.ts'
import { openSqliteConnection, type SqliteConnection } from './connection.ts'
import { translateSqliteError } from './sqlite-errors.ts'

interface SqliteEngineParts {
  readonly file: string
  readonly writer: SqliteConnection
  readonly reader: SqliteConnection
  readonly retry: Retry
}

/** Retries while another process locks the file. */
type Retry = <T>(attempt: () => T) => Promise<T>

/** One connection writes, for one caller at a time. Reads have their own connection, so they never wait for a writer. */
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
    transaction: (work) => withTurn(() => transact(writer, retry, work, shareEventLoop)),
    snapshot: async (work) => {
      demandUsable()
      return readSnapshot(file, retry, work, shareEventLoop)
    },
    // There is one writer at a time, so a transaction excludes all others.
    lock: async () => {},
    notify: wakes.add,
    listen: listeners.add,
    translate: translateSqliteError,
    close() {
      closing ??= withTurn(async () => {
        closed = true
        wakes.close()
        // The last connection merges the write-ahead log into the file, which a read-only one cannot do.
        reader.close()
        writer.close()
      })
      return closing
    },
  }
}

type Work<T> = (execute: Execute) => Promise<T>

async function transact<T>(writer: SqliteConnection, retry: Retry, work: Work<T>, share: EventLoopShare): Promise<T> {
  // A deferred BEGIN could fail at its first write, after its reads were used for decisions.
  await retry(() => writer.exec('BEGIN IMMEDIATE'))
  try {
    const result = await work(executeOn(writer, share))
    writer.exec('COMMIT')
    return result
  } finally {
    writer.rollback()
  }
}

async function readSnapshot<T>(file: string, retry: Retry, work: Work<T>, share: EventLoopShare): Promise<T> {
  const connection = openSqliteConnection(file, { readOnly: true })
  try {
    connection.exec('BEGIN')
    // The snapshot starts with the first read, not with BEGIN.
    await retry(() => connection.execute('get', { text: 'SELECT count(*) FROM sqlite_schema', values: [] }))
    return await work(executeOn(connection, share))
  } finally {
    connection.close()
  }
}

function executeOn(connection: SqliteConnection, share: EventLoopShare): Execute {
  return async (kind, query) => {
    await share()
    return connection.execute(kind, query)
  }
}

type EventLoopShare = () => Promise<void> | undefined

const LONGEST_BURST_MS = 10

/**
 * SQLite answers within the current task of the event loop, so a long chain of awaited calls would block timers and sockets
 * until it ends. Awaiting this function before each call lets them run every few milliseconds.
 */
function createEventLoopShare(): EventLoopShare {
  let burstStart: number | undefined
  const endBurst = () => {
    burstStart = undefined
  }
  return () => {
    if (burstStart === undefined) {
      burstStart = performance.now()
      setImmediate(endBurst)
    } else if (performance.now() - burstStart > LONGEST_BURST_MS) {
      return new Promise((resolve) => setImmediate(resolve))
    }
    return undefined
  }
}

/** A lock that callers get in the order of their calls. */
function createFairTurns() {
  const waiting: (() => void)[] = []
  let taken = false

  const pass = () => {
    const next = waiting.shift()
    if (next) next()
    else taken = false
  }

  return {
    /** Resolves to a release function. Call it to pass the lock on. */
    async take() {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve))
      taken = true
      let passed = false
      return () => {
        if (passed) return
        passed = true
        pass()
      }
    },
  }
}
