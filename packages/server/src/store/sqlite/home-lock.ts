import { DatabaseSync } from 'node:sqlite'

const LOOK_MS = 250

interface HomeLock {
  release(): void
}

/**
 * Takes the lock of a home; null when another process has it. The kernel releases the lock when the process ends, even
 * after `kill -9`, so a lock is never stale.
 */
export function takeHomeLock(file: string): HomeLock | null {
  // A process that only checks the lock takes it for a moment, which must not prevent the start of a server.
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
