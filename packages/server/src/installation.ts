import { join } from 'node:path'

/** Where the parts of the product lie: in the source tree, or side by side in the packed one. */
export interface Installation {
  /** The server's program, for `node`. */
  readonly serverProgram: string
  /** The built page. */
  readonly page: string
}

/**
 * How the server is run: with room for the young generation and with memory arenas that fit somebody's own machine. A
 * tighter heap, as `--optimize-for-size` gives, takes less still but stops the feed for tens of milliseconds at a time.
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
