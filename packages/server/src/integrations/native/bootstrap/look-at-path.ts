import { lstatSync, realpathSync, type Stats } from 'node:fs'

/**
 * What is at a path, a link as a link; null = nothing that can be seen. At once: a look takes microseconds, a way through
 * the thread pool many times that, and every turn looks at dozens of paths.
 */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** Where a path leads when all links are followed; null = nowhere. */
export function whereLeads(path: string): string | null {
  try {
    // Most places that are looked at are not there, and an error is dear to make.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : realpathSync.native(path)
  } catch {
    return null
  }
}
