import type { Execute } from '../engine.ts'
import { compile, raw } from '../sql.ts'
import type { PostgresConnection } from './connection-pool.ts'

export type Begin = 'BEGIN ISOLATION LEVEL READ COMMITTED' | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Commits when `work` resolves. Its statements go one by one, each only while the connection is still the one that said BEGIN. */
export async function inTransaction<T>(
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
    last = next.catch(() => {})
    return next
  }
  try {
    const result = await work(execute)
    await execute('run', compile(raw('COMMIT'), '$'))
    return result
  } catch (error) {
    // When the connection is gone the server has undone everything, unless the COMMIT itself got lost.
    if (!connection.lost) await connection.execute('run', compile(raw('ROLLBACK'), '$')).catch(() => {})
    throw error
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost inside a transaction'), { code: 'CONNECTION_CLOSED' })
}
