import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '..')

export interface Build {
  /** For the line that a person reads: "building the page". */
  readonly name: string
  /** The folder of the finished build. */
  readonly output: string
  readonly digest: string
  /** The arguments for `node` that build into a folder. */
  command(folder: string): readonly string[]
}

/** Longer than any build takes, so the process that took the lock is gone. */
const ABANDONED_MS = 120_000

/** Builds unless the output was built from the same files. Resolves to the folder of the build. */
export async function buildOnce(build: Build): Promise<string> {
  const cache = join(dirname(build.output), '.cache')
  const stamp = join(build.output, '.built')
  const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === build.digest
  if (isFresh()) return build.output
  mkdirSync(cache, { recursive: true })
  const lock = join(cache, 'building')
  // Two builds at the same time would empty each other's folder.
  while (!takeLock(lock)) await new Promise((resolve) => setTimeout(resolve, 100))
  try {
    if (!isFresh()) await buildAside(build, join(cache, 'dist'))
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  return build.output
}

/**
 * Runs in its own process: a test sets another NODE_ENV and would get development builds of libraries. The build goes
 * to a temporary folder first and is then moved, so that a running server always finds a whole one.
 */
async function buildAside({ name, output, digest, command }: Build, aside: string): Promise<void> {
  process.stderr.write(`clawboo: building ${name}\n`)
  rmSync(aside, { recursive: true, force: true })
  await promisify(execFile)(process.execPath, command(aside), { env: { ...process.env, NODE_ENV: 'production' } })
  writeFileSync(join(aside, '.built'), digest)
  rmSync(`${aside}-before`, { recursive: true, force: true })
  if (existsSync(output)) renameSync(output, `${aside}-before`)
  mkdirSync(dirname(output), { recursive: true })
  renameSync(aside, output)
  rmSync(`${aside}-before`, { recursive: true, force: true })
}

/** Identifies the content of the files that match, without tests. */
export function digestOf(patterns: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of globSync(patterns, { cwd: root }).sort()) {
    const path = join(root, file)
    if (!/\.test\.|\/test-/.test(file) && statSync(path).isFile()) hash.update(file).update(readFileSync(path))
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
