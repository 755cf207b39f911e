import { DatabaseSync } from 'node:sqlite'

const LOOK_MS = 250

export interface HomeLock {
  release(): void
}

/**
 * Takes the lock of a home; null when another process has it. The kernel drops it with the process, also after
 * `kill -9`, so there is no stale lock to judge.
 */
export function takeHomeLock(file: string): HomeLock | null {
  // Whoever only looks whether the lock is taken holds it shared for a moment; that must not stop a server from starting.
  const lock = new DatabaseSync(file, { timeout: LOOK_MS })
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === 5) return null
    throw error
  }
  return { release: () => lock.close() }
}
