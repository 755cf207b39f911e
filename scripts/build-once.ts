import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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

/** Longer than any build takes: a process with the id of a dead builder must not be waited for without end. */
const ABANDONED_MS = 600_000

/** Builds unless the output was built from the same files. Resolves to the folder of the build. */
export async function buildOnce(build: Build): Promise<string> {
  const stamp = join(build.output, '.built')
  const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === build.digest
  if (isFresh()) return build.output
  const cache = join(dirname(build.output), '.cache')
  mkdirSync(cache, { recursive: true })
  const release = await takeLock(join(cache, 'building'))
  try {
    if (!isFresh()) await buildAside(build, cache)
  } finally {
    release()
  }
  return build.output
}

/**
 * Runs in its own process: a test sets another NODE_ENV and would get development builds of libraries. The build goes
 * to a folder of this process first and is then moved, so that a running server always finds a whole one.
 */
async function buildAside({ name, output, digest, command }: Build, cache: string): Promise<void> {
  process.stderr.write(`clawboo: building ${name}\n`)
  // Left by builds that were killed: only the owner of the lock builds.
  for (const left of readdirSync(cache))
    if (left.startsWith('build-')) rmSync(join(cache, left), { recursive: true, force: true })
  const aside = mkdtempSync(join(cache, 'build-'))
  const [built, before] = [join(aside, 'built'), join(aside, 'before')]
  try {
    await promisify(execFile)(process.execPath, command(built), { env: { ...process.env, NODE_ENV: 'production' } })
    writeFileSync(join(built, '.built'), digest)
    if (existsSync(output)) renameSync(output, before)
    renameSync(built, output)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
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

/** Waits for another build. Resolves to a function that releases the lock. */
async function takeLock(lock: string): Promise<() => void> {
  const own = String(process.pid)
  for (let waits = 0; ; waits++) {
    try {
      writeFileSync(lock, own, { flag: 'wx' })
      return () => {
        // It may have been taken over while this process was suspended.
        if (existsSync(lock) && readFileSync(lock, 'utf8') === own) rmSync(lock)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isAbandoned(lock)) rmSync(lock, { force: true })
    else {
      if (waits === 0) process.stderr.write('clawboo: waiting for another build\n')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function isAbandoned(lock: string): boolean {
  const stats = statSync(lock, { throwIfNoEntry: false })
  if (!stats) return false
  if (Date.now() - stats.mtimeMs > ABANDONED_MS) return true
  const owner = Number(readFileSync(lock, 'utf8'))
  // Empty for a moment after its creation.
  if (owner === 0) return false
  try {
    process.kill(owner, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
