import { join } from 'node:path'

/** The locations of the product's files: in the source tree, or side by side in the package. */
interface Installation {
  /** The server's program, for `node`. */
  readonly serverProgram: string
  readonly page: string
}

/**
 * Flags for the server: enough space for the young generation, and memory arenas that suit a personal computer. A
 * tighter heap, as with `--optimize-for-size`, uses even less memory but blocks the feed for tens of milliseconds at a
 * time.
 */
export const SERVER_NODE_FLAGS: readonly string[] = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4']
export const SERVER_MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

export function findInstallation(): Installation {
  const here = import.meta.dirname
  const isPacked = import.meta.filename.endsWith('.js')
  return isPacked
    ? { serverProgram: join(here, 'server.js'), page: join(here, 'page') }
    : { serverProgram: join(here, 'main.ts'), page: join(here, '../../web/dist') }
}
