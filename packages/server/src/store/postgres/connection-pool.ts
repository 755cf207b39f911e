import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql as Client } from 'postgres'
import type { Execute } from '../engine.ts'
import type { CompiledSql } from '../sql.ts'
import { type ConnectionSettings, clientOptions } from './client-options.ts'

/** One connection to the server, used by one caller at a time. */
export interface PostgresConnection {
  readonly execute: Execute
  /** True after the connection was lost. Later statements do not reach the transaction that was open before. */
  readonly lost: boolean
}

export interface ConnectionPool {
  /** Reserves a connection for `work` until it settles. Callers wait in order. */
  lend<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>
  /** Waits a few seconds for running work, then ends every connection. */
  close(): Promise<void>
}

const CLOSE_SECONDS = 5
/**
 * A statement with more values is a bulk statement, and is not prepared: its text rarely repeats, and the server keeps
 * every prepared statement.
 */
const MOST_VALUES_TO_PREPARE = 64

/**
 * A pool of clients with one connection each. The driver's own pool does not report a lost connection to its transaction:
 * the next statement ends the process, or runs outside the transaction on a new connection.
 */
export function createConnectionPool(url: string, settings: ConnectionSettings): ConnectionPool {
  const all = new Set<OwnedConnection>()
  const idle: OwnedConnection[] = []
  const waiting: ((connection: OwnedConnection) => void)[] = []
  const leases = new Set<Promise<unknown>>()

  const open = () => {
    const opened = openConnection(url, settings)
    all.add(opened)
    return opened
  }
  /** Replaces a lost client, because its first statement after a reconnect fails with the old connection's error. */
  const renewed = (connection: OwnedConnection) => {
    if (!connection.lost) return connection
    all.delete(connection)
    void connection.close()
    return open()
  }
  const take = (): OwnedConnection | Promise<OwnedConnection> => {
    const free = idle.pop()
    if (free) return renewed(free)
    return all.size < settings.max ? open() : new Promise((resolve) => waiting.push(resolve))
  }
  const give = (connection: OwnedConnection) => {
    const next = waiting.shift()
    if (next) next(renewed(connection))
    else idle.push(connection)
  }
  const lend = async <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const connection = await take()
    try {
      return await work(connection)
    } finally {
      give(connection)
    }
  }

  return {
    lend(work) {
      const lease = lend(work)
      leases.add(lease)
      const forget = () => leases.delete(lease)
      lease.then(forget, forget)
      return lease
    },
    async close() {
      await Promise.race([Promise.allSettled(leases), sleep(CLOSE_SECONDS * 1000, undefined, { ref: false })])
      await Promise.all([...all].map((connection) => connection.close()))
    },
  }
}

interface OwnedConnection extends PostgresConnection {
  close(): Promise<void>
}

function openConnection(url: string, settings: ConnectionSettings): OwnedConnection {
  let lost = false
  const onclose = () => {
    lost = true
  }
  const client = postgres(url, { ...clientOptions(settings), onclose })
  return {
    get lost() {
      return lost
    },
    execute: (kind, query) => execute(client, kind, query),
    close: () => client.end({ timeout: CLOSE_SECONDS }),
  }
}

type StatementClient = Pick<Client<Record<string, unknown>>, 'unsafe'>

async function execute(client: StatementClient, kind: 'all' | 'get' | 'run', query: CompiledSql): Promise<unknown> {
  // Without `simple: false`, a text without values would not be prepared and could contain several statements.
  const options = { prepare: query.values.length <= MOST_VALUES_TO_PREPARE, simple: false }
  const result = await client.unsafe(query.text, query.values as Parameters<typeof client.unsafe>[1], options)
  if (kind === 'all') return [...result]
  if (kind === 'get') return result[0]
  return WRITES.has(result.command) ? result.count : 0
}

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE'])
