import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { writeWholeFile } from './write-whole-file.ts'

/** A running server's details for the command line. Only the lock shows whether that server is still running. */
export interface ServerNote {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly instance: string
  readonly startedAt: number
}

const NOTE_FILE = 'server.json'

export const homeFiles = (home: string) => ({
  database: join(home, 'clawboo.sqlite'),
  lock: join(home, 'server.lock'),
  token: join(home, 'token'),
  runtimes: join(home, 'runtimes'),
  worktrees: join(home, 'worktrees'),
  projects: join(home, 'projects'),
  compileCache: join(home, 'cache', 'compile'),
})

/** Creates the folder, readable only by its owner. */
export async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    await chmod(home, 0o700)
  } catch (cause) {
    throw new ClawbooError('config_invalid', `the home folder ${home} cannot be used: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Distinguishes this home folder from others on the same database. Created at the first start and never changed. */
export async function readHomeId(home: string): Promise<string> {
  const file = join(home, 'id')
  const existing = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (/^[\da-f]{24}$/.test(existing)) return existing
  const made = randomBytes(12).toString('hex')
  await writeWholeFile(file, `${made}\n`)
  return made
}

export async function writeServerNote(home: string, note: ServerNote): Promise<void> {
  await writeWholeFile(join(home, NOTE_FILE), `${JSON.stringify(note)}\n`)
}

export async function readServerNote(home: string): Promise<ServerNote | null> {
  // Without a readable note the address is unknown; only the lock of the home shows whether a server runs.
  const text = await readFile(join(home, NOTE_FILE), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return JSON.parse(text) as ServerNote
  } catch {
    return null
  }
}

export async function removeServerNote(home: string): Promise<void> {
  await rm(join(home, NOTE_FILE), { force: true })
}
