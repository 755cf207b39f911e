import { join } from 'node:path'

/** Where the parts of the product lie: in the source tree, or side by side in the packed one. */
export interface Installation {
  /** The server's program, for `node`. */
  readonly serverProgram: string
  /** The built page. */
  readonly page: string
}

/**
 * How `node` runs the server. Left to itself the heap spreads over free memory, to several times what is in use;
 * somebody's own machine has other things to do with it.
 */
export const SERVER_NODE_FLAGS: readonly string[] = ['--disable-warning=ExperimentalWarning', '--optimize-for-size']

export function findInstallation(): Installation {
  const here = import.meta.dirname
  const isPacked = import.meta.filename.endsWith('.js')
  return isPacked
    ? { serverProgram: join(here, 'server.js'), page: join(here, 'page') }
    : { serverProgram: join(here, 'main.ts'), page: join(here, '../../web/dist') }
}
