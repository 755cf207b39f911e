import { ClawbooError } from '@clawboo/core'
import { createCoalescedWakes } from '../coalesced-wakes.ts'
import { createDb } from '../create-db.ts'
import type { Engine, Execute } from '../engine.ts'
import { DEFAULT_CONFLICT_DEADLINE_MS, retryConflicts } from '../retry-conflicts.ts'
import { compile, type Db, raw, sql } from '../sql.ts'
import { StoreConflict } from '../store-conflict.ts'
import { type ConnectionPool, createConnectionPool, type PostgresConnection } from './connection-pool.ts'
import { createListening, type Listening } from './listening.ts'

const POOL_SIZE = 8
const WAKE_DELAY_MS = 5
const WAKE_RETRY_MS = 1000

/** Connects to the server. The database must exist. */
export async function openPostgres(url: string, options: { conflictDeadlineMs?: number } = {}): Promise<Db> {
  const deadlineMs = options.conflictDeadlineMs ?? DEFAULT_CONFLICT_DEADLINE_MS
  const settings = { max: POOL_SIZE, lockTimeoutMs: deadlineMs }
  let pool: ConnectionPool | undefined
  try {
    pool = createConnectionPool(url, settings)
    await pool.lend((connection) => connection.execute('get', compile(sql`SELECT 1`, '$')))
    return createDb(createPostgresEngine(pool, createListening(url, settings), deadlineMs))
  } catch (error) {
    await pool?.close()
    // The address can contain a password, so the message leaves it out.
    throw new ClawbooError('store_unavailable', 'the PostgreSQL database cannot be opened', { cause: error })
  }
}

function createPostgresEngine(pool: ConnectionPool, listening: Listening, deadlineMs: number): Engine {
  let closing: Promise<void> | undefined

  const retryWithConnection = <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> =>
    retryConflicts(
      () => {
        if (closing) throw new ClawbooError('store_unavailable', 'the database is closed')
        return pool.lend(work)
      },
      isPostgresConflict,
      deadlineMs,
    )

  const sendWake = (channel: string) => {
    const sent = pool.lend((connection) =>
      connection.execute('get', compile(sql`SELECT pg_notify(${channel}, '')`, '$')),
    )
    sent.catch(() => {
      // The server is unreachable. Listeners in other processes still need this wake-up afterwards.
      if (!closing) setTimeout(() => wakes.add(channel), WAKE_RETRY_MS).unref()
    })
  }
  const wakes = createCoalescedWakes(WAKE_DELAY_MS, sendWake)

  return {
    name: 'postgres',
    mark: '$',
    execute: (kind, query) => retryWithConnection((connection) => connection.execute(kind, query)),
    transaction: (work, name) => {
      const locked = async (execute: Execute) => {
        if (name !== undefined) await lock(execute, name)
        return work(execute)
      }
      return retryWithConnection((connection) =>
        inTransaction(connection, 'BEGIN ISOLATION LEVEL READ COMMITTED', locked),
      )
    },
    snapshot: (work) =>
      retryWithConnection((connection) =>
        inTransaction(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
      ),
    lock,
    notify: wakes.add,
    listen: listening.listen,
    translate: translatePostgresError,
    close() {
      if (!closing) {
        wakes.close()
        closing = Promise.all([pool.close(), listening.close()]).then(() => {})
      }
      return closing
    },
  }
}

async function lock(execute: Execute, name: string): Promise<void> {
  await execute('get', compile(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`clawboo:${name}`}, 0))`, '$'))
}

export type Begin = 'BEGIN ISOLATION LEVEL READ COMMITTED' | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Commits when `work` resolves. Sends one statement at a time, and none after the connection of the BEGIN is lost. */
async function inTransaction<T>(
  connection: PostgresConnection,
  begin: Begin,
  work: (execute: Execute) => Promise<T>,
): Promise<T> {
  await connection.execute('run', compile(raw(begin), '$'))
  let last: Promise<unknown> = Promise.resolve()
  const execute: Execute = (kind, query) => {
    const next = last.then(() => {
      if (connection.lost) throw connectionLost()
      return connection.execute(kind, query)
    })
    // The caller of a failed statement gets its error; the next statement only waits for its end.
    last = next.catch(() => {})
    return next
  }
  try {
    const result = await work(execute)
    await execute('run', compile(raw('COMMIT'), '$'))
    return result
  } catch (error) {
    // After a lost connection the server rolls back automatically. A failed ROLLBACK must not hide the first error.
    if (!connection.lost) await connection.execute('run', compile(raw('ROLLBACK'), '$')).catch(() => {})
    throw error
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost inside a transaction'), { code: 'CONNECTION_CLOSED' })
}

const UNIQUE = '23505'
const FOREIGN_KEY = '23503'
const LOCK_TIMEOUT = '55P03'
/** Serialization failure and deadlock. The server has rolled the work back, so a retry is safe. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

function isPostgresConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error))
}

function translatePostgresError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === UNIQUE) return new StoreConflict('unique', error as Error)
  if (code === FOREIGN_KEY) return new StoreConflict('foreign-key', error as Error)
  if (code === LOCK_TIMEOUT || CONFLICTS.has(code)) {
    return new ClawbooError('store_unavailable', 'other clients have locked the database', { cause: error })
  }
  if (isConnectionTrouble(code))
    return new ClawbooError('store_unavailable', `the database did not answer (${code})`, { cause: error })
  return error
}

/**
 * Connection errors of the driver and of Node, and the server's error classes for connections, resources, operator
 * intervention and system errors. After such an error in a commit, the outcome is unknown, so nothing is retried.
 */
function isConnectionTrouble(code: string): boolean {
  return /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]{3,}|08|53|57P|58|25P03)/.test(code)
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
