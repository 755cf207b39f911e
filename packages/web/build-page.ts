import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const here = import.meta.dirname
const root = join(here, '../..')
const SOURCES = [
  'packages/web/{src,public}/**/*',
  'packages/web/{index.html,package.json,vite.config.ts}',
  'packages/{api,core}/src/**/*.ts',
  'scripts/license-notices.ts',
  'package-lock.json',
]
/** Longer than any build takes, so the process that took the lock is gone. */
const ABANDONED_MS = 120_000

/** Builds the page unless the existing build was made from the same files. Returns the folder of the build. */
export async function buildPage(): Promise<string> {
  const dist = join(here, 'dist')
  const stamp = join(dist, '.built')
  const wanted = digestOfSources()
  const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  if (isFresh()) return dist
  const lock = join(here, '.cache/building')
  mkdirSync(join(here, '.cache'), { recursive: true })
  // Two builds at the same time would empty each other's folder.
  while (!takeLock(lock)) await new Promise((resolve) => setTimeout(resolve, 100))
  try {
    if (!isFresh()) await build(dist, wanted)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  return dist
}

/**
 * Runs in its own process: a test sets another NODE_ENV and would get React's large development build. The build goes
 * to a temporary folder first and is then moved, so that a running server always finds a page.
 */
async function build(dist: string, stamp: string): Promise<void> {
  process.stderr.write('clawboo: building the page\n')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const aside = join(here, '.cache/dist')
  const words = [vite, 'build', here, '--outDir', aside, '--emptyOutDir', '--logLevel', 'error']
  await promisify(execFile)(process.execPath, words, { env: { ...process.env, NODE_ENV: 'production' } })
  writeFileSync(join(aside, '.built'), stamp)
  rmSync(`${aside}-before`, { recursive: true, force: true })
  if (existsSync(dist)) renameSync(dist, `${aside}-before`)
  renameSync(aside, dist)
  rmSync(`${aside}-before`, { recursive: true, force: true })
}

function digestOfSources(): string {
  const hash = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: root }).sort()) {
    const path = join(root, file)
    if (!file.includes('.test.') && statSync(path).isFile()) hash.update(file).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const takenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - takenAt > ABANDONED_MS) rmSync(lock, { recursive: true, force: true })
    return false
  }
}
