import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const here = import.meta.dirname
/** Older than any build: whoever held it is gone. */
const ABANDONED_MS = 120_000

/** Builds the page unless what is built is newer than everything it is made of. Answers the folder. */
export async function buildPageIfStale(): Promise<string> {
  const dist = join(here, 'dist')
  const lock = join(tmpdir(), `clawboo-page-build-${process.getuid?.() ?? 0}`)
  // Two tests that build at once would empty the folder under each other's feet.
  while (!takeLock(lock)) await new Promise((resolve) => setTimeout(resolve, 100))
  try {
    if (isStale(dist)) await build(dist)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  return dist
}

/**
 * In a process of its own: a caller under test has another NODE_ENV, and would get React's large development build.
 * Built aside and then put in place, so that a running server always finds a page.
 */
async function build(dist: string): Promise<void> {
  const vite = join(here, '../../node_modules/vite/bin/vite.js')
  const aside = join(here, '.cache/dist')
  const env = { ...process.env, NODE_ENV: 'production' }
  const words = [vite, 'build', here, '--outDir', aside, '--emptyOutDir', '--logLevel', 'error']
  await promisify(execFile)(process.execPath, words, { env })
  rmSync(`${aside}-before`, { recursive: true, force: true })
  if (existsSync(dist)) renameSync(dist, `${aside}-before`)
  renameSync(aside, dist)
  rmSync(`${aside}-before`, { recursive: true, force: true })
}

function isStale(dist: string): boolean {
  const built = changedAt(join(dist, 'index.html.gz'))
  const sources = globSync(
    ['src/**/*', 'public/*', 'index.html', 'vite.config.ts', '../api/src/**/*.ts', '../core/src/**/*.ts'],
    { cwd: here },
  )
  return sources.some((file) => changedAt(join(here, file)) > built)
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    if (Date.now() - changedAt(lock) > ABANDONED_MS) rmSync(lock, { recursive: true, force: true })
    return false
  }
}
