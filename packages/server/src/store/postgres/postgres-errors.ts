import { ClawbooError } from '@clawboo/core'
import { StoreConflict } from '../store-conflict.ts'

const UNIQUE = '23505'
const FOREIGN_KEY = '23503'
const LOCK_TIMEOUT = '55P03'
/** Serialization failure and deadlock. The server has rolled the work back, so a retry is safe. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

export function isPostgresConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error))
}

export function translatePostgresError(error: unknown): unknown {
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
