import { fieldName } from '../field-name.ts'

export interface ConnectionSettings {
  readonly max: number
  /** How long a statement waits for a lock. */
  readonly lockTimeoutMs: number
}

/** The options of every client: one permanent connection, and the same values and field names as on SQLite. */
export function clientOptions(settings: ConnectionSettings) {
  return {
    max: 1,
    // Both settings would end a connection that is idle between two statements of a transaction.
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => {},
    types: { number: NUMBER, flag: FLAG },
    // The driver converts the names once per prepared statement, not once per row.
    transform: { column: { from: fieldName } },
    connection: {
      application_name: 'clawboo',
      lock_timeout: settings.lockTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
    },
  }
}

/** By default, BIGINT and NUMERIC arrive as text, and a comparison as true or false. */
const NUMBER = { to: 20, from: [20, 1700], serialize: String, parse: safeNumber }
const FLAG = { to: 16, from: [16], serialize: String, parse: (text: string) => (text === 't' ? 1 : 0) }

function safeNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${text} is beyond 2^53, store it as text`)
  return value
}
