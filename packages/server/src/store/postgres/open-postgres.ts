import { ClawbooError } from '@clawboo/core'
import { createCoalescedWakes } from '../coalesced-wakes.ts'
import { createDb } from '../create-db.ts'
import type { Engine, Execute } from '../engine.ts'
import { DEFAULT_CONFLICT_DEADLINE_MS, retryConflicts } from '../retry-conflicts.ts'
import { compile, type Db, sql } from '../sql.ts'
import { type ConnectionPool, createConnectionPool, type PostgresConnection } from './connection-pool.ts'
import { createListening, type Listening } from './listening.ts'
import { isPostgresConflict, translatePostgresError } from './postgres-errors.ts'
import { inTransaction } from './transaction.ts'

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
