import { ClawbooError } from '@clawboo/core'
import { StoreConflict } from '../store-conflict.ts'

const UNIQUE = '23505'
const FOREIGN_KEY = '23503'
const LOCK_TIMEOUT = '55P03'
/** Serialization failure and deadlock. The server has undone the work, so doing it again is safe. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

export function isPostgresConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error))
}

export function translatePostgresError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === UNIQUE) return new StoreConflict('unique', error as Error)
  if (code === FOREIGN_KEY) return new StoreConflict('foreign-key', error as Error)
  if (code === LOCK_TIMEOUT || CONFLICTS.has(code)) {
    return new ClawbooError('store_unavailable', 'others keep the database busy', { cause: error })
  }
  if (isConnectionTrouble(code))
    return new ClawbooError('store_unavailable', `the database did not answer (${code})`, { cause: error })
  return error
}

/**
 * The driver's and Node's connection errors, and the server's classes for connection, resources, operator intervention
 * and its own failure. After one of these in a commit it is unknown whether the work was done, so nothing is repeated.
 */
function isConnectionTrouble(code: string): boolean {
  return /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]{3,}|08|53|57P|58|25P03)/.test(code)
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
