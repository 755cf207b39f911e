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
  /** Shown in progress messages, such as "building the page". */
  readonly name: string
  /** The folder of the finished build. */
  readonly output: string
  readonly digest: string
  /** The arguments for `node` that build into a folder. */
  command(folder: string): readonly string[]
}

/** Longer than any build. An older lock is abandoned, even if another process has the id of the dead builder. */
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
 * Builds in a separate process, because a test's NODE_ENV would select development builds of libraries. Builds into a
 * temporary folder and then moves it, so that a running server always finds a complete build.
 */
async function buildAside({ name, output, digest, command }: Build, cache: string): Promise<void> {
  process.stderr.write(`clawboo: building ${name}\n`)
  // Only the owner of the lock builds, so these folders are from killed builds.
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
        // Another process may have taken the lock over while this one was suspended.
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
  // A new lock is empty for a moment.
  if (owner === 0) return false
  try {
    process.kill(owner, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
