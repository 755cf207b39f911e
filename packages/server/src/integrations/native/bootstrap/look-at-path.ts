import { lstatSync, realpathSync, type Stats } from 'node:fs'

/**
 * The stats of a path, without following links; null = missing or not accessible. Synchronous on purpose: every run checks
 * dozens of paths, and one check takes microseconds, far less than a round trip through the thread pool.
 */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** The real path with all links followed; null = missing or not accessible. */
export function realPathOf(path: string): string | null {
  try {
    // Most of these paths do not exist, and creating an error is expensive.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : realpathSync.native(path)
  } catch {
    return null
  }
}
