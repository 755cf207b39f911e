import type { Execute } from '../engine.ts'
import { compile, raw } from '../sql.ts'
import type { PostgresConnection } from './connection-pool.ts'

export type Begin = 'BEGIN ISOLATION LEVEL READ COMMITTED' | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Commits when `work` resolves. Sends one statement at a time, and none after the connection of the BEGIN was lost. */
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
    // The caller of a failed statement gets its error. The next statement only waits.
    last = next.catch(() => {})
    return next
  }
  try {
    const result = await work(execute)
    await execute('run', compile(raw('COMMIT'), '$'))
    return result
  } catch (error) {
    // After a lost connection the server rolls back by itself. A failed ROLLBACK must not hide the first error.
    if (!connection.lost) await connection.execute('run', compile(raw('ROLLBACK'), '$')).catch(() => {})
    throw error
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost inside a transaction'), { code: 'CONNECTION_CLOSED' })
}
