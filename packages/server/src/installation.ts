import { existsSync, utimes } from 'node:fs'
import { join } from 'node:path'

/** The locations of the product's files: in the source tree, in a build of it, or side by side in the package. */
interface Installation {
  /** The server's program, for `node`. */
  readonly serverProgram: string
  readonly page: string
}

/**
 * Flags for the server: a large enough young generation, and memory arenas that suit a personal computer. A tighter
 * heap, as with `--optimize-for-size`, uses less memory but blocks the feed for tens of milliseconds at a time.
 */
export const SERVER_NODE_FLAGS: readonly string[] = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4']
export const SERVER_MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

const DAY_MS = 24 * 60 * 60 * 1000

/** Marks the build that this server runs as used, every day: the server still loads parts of it. */
export function keepBuild(): void {
  const mark = () => {
    const now = Date.now() / 1000
    // A build that belongs to another user cannot be marked, and this server does not remove it.
    utimes(import.meta.dirname, now, now, () => {})
  }
  if (import.meta.filename.endsWith('.js')) setInterval(mark, DAY_MS).unref()
}

export function findInstallation(): Installation {
  const here = import.meta.dirname
  const isBundled = import.meta.filename.endsWith('.js')
  const packedPage = join(here, 'page')
  return {
    serverProgram: join(here, isBundled ? 'server.js' : 'main.ts'),
    page: existsSync(packedPage) ? packedPage : join(here, isBundled ? '../../../web/dist' : '../../web/dist'),
  }
}
