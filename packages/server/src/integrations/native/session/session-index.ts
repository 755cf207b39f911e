import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError, createInOrder } from '@clawboo/core'
import { isHeader, isObject, type JsonObject, parseLine } from './entry.ts'
import { replaceFile } from './replace-file.ts'
import { transcriptPath } from './session.ts'
import { readAt } from './transcript-lines.ts'

export type SessionIndex = ReturnType<typeof createIndex>

/** The index of an agent's sessions, `sessions.json` next to the transcripts. A change is on disk when it resolves. */
export async function openSessionIndex(folder: string, { now }: { now: () => number }): Promise<SessionIndex> {
  const file = join(folder, 'sessions.json')
  const read = await readIndex(file)
  const sessions = read.sessions
  if (!read.isWhole) {
    const listed = new Set([...sessions.values()].map(({ sessionId }) => sessionId))
    for (const { key, entry } of await listTranscripts(folder)) {
      const other = sessions.get(key)
      if (listed.has(entry.sessionId) || (other && other.updatedAt >= entry.updatedAt)) continue
      sessions.set(key, entry)
    }
    if (read.exists) await copyFile(file, `${file}.broken`).catch(() => rename(file, `${file}.broken`))
    if (read.exists || sessions.size > 0) await writeIndex(folder, file, sessions)
  }
  return createIndex(folder, file, sessions, now)
}

function createIndex(folder: string, file: string, initial: Map<string, SessionEntry>, now: () => number) {
  let sessions = initial
  const inOrder = createInOrder()

  /** Applies a change in memory only after it is on disk. */
  const change = <T>(work: (draft: Map<string, SessionEntry>) => Promise<T> | T): Promise<T> =>
    inOrder(async () => {
      const draft = new Map(sessions)
      const result = await work(draft)
      await writeIndex(folder, file, draft)
      sessions = draft
      return result
    })
  const fresh = (): SessionEntry => {
    const at = now()
    return { sessionId: randomUUID(), sessionStartedAt: at, lastInteractionAt: at, updatedAt: at }
  }
  const ensureIn = (draft: Map<string, SessionEntry>, key: string): SessionEntry => {
    const entry = draft.get(key) ?? fresh()
    draft.set(key, entry)
    return entry
  }

  return {
    get: (key: string): SessionEntry | undefined => sessions.get(key),
    /** Returns the session of a key and creates one if necessary. */
    ensure: async (key: string): Promise<SessionEntry> => sessions.get(key) ?? change((draft) => ensureIn(draft, key)),
    /** `undefined` removes a field. */
    update: (key: string, fields: Partial<Omit<SessionEntry, 'sessionId'>>): Promise<SessionEntry> =>
      change((draft) => {
        const entry: SessionEntry = { ...ensureIn(draft, key), updatedAt: now(), ...fields }
        draft.set(key, entry)
        return entry
      }),
    /** Starts a new session for a key and archives the old transcript, which must be closed. */
    newSession: (key: string): Promise<SessionEntry> =>
      change(async (draft) => {
        const old = draft.get(key)
        // Archive first: after a crash in between, the key must lead to an empty session and not to the old one.
        if (old) await archive(folder, old.sessionId, now())
        const entry = fresh()
        draft.set(key, entry)
        return entry
      }),
  }
}

async function archive(folder: string, sessionId: string, at: number): Promise<void> {
  const file = transcriptPath(folder, sessionId)
  const time = new Date(at).toISOString().replaceAll(':', '-')
  await rename(file, `${file}.reset.${time}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

async function writeIndex(folder: string, file: string, sessions: ReadonlyMap<string, SessionEntry>): Promise<void> {
  const text = `${JSON.stringify(Object.fromEntries(sessions), null, 2)}\n`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await replaceFile(file, (fresh) => fresh.writeFile(text))
  } catch (error) {
    const problem = `the session index cannot be written: ${(error as Error).message}`
    throw new ClawbooError('store_unavailable', problem, { details: { file }, cause: error })
  }
}

interface ReadIndex {
  readonly sessions: Map<string, SessionEntry>
  readonly exists: boolean
  readonly isWhole: boolean
}

async function readIndex(file: string): Promise<ReadIndex> {
  const sessions = new Map<string, SessionEntry>()
  const text = await readText(file)
  if (text === null) return { sessions, exists: false, isWhole: false }
  const value = parseObject(text)
  if (value === null) return { sessions, exists: true, isWhole: false }
  let isWhole = true
  for (const [key, entry] of Object.entries(value)) {
    if (isSessionEntry(entry)) sessions.set(key, entry)
    else isWhole = false
  }
  return { sessions, exists: true, isWhole }
}

async function readText(file: string): Promise<string | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => error.code)
  if (typeof handle !== 'object') return handle === 'ENOENT' ? null : ''
  try {
    // An unreadable index is rebuilt from the transcripts, as an empty one is.
    return await handle.readFile('utf8').catch(() => '')
  } finally {
    await handle.close()
  }
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isSessionEntry(value: unknown): value is SessionEntry {
  if (!isObject(value)) return false
  const times = [value.sessionStartedAt, value.lastInteractionAt, value.updatedAt]
  return (
    typeof value.sessionId === 'string' &&
    /^[A-Za-z0-9_-]{1,100}$/.test(value.sessionId) &&
    times.every((time) => typeof time === 'number')
  )
}

/** Facts about a session that are not in its transcript. Unknown fields are kept. */
export interface SessionEntry {
  readonly sessionId: string
  /** Milliseconds, like all times here. */
  readonly sessionStartedAt: number
  readonly lastInteractionAt: number
  readonly updatedAt: number
  /** Signatures of the truncation warnings that were shown, newest last. */
  readonly bootstrapWarnings?: readonly string[]
}

const HEADER_MAX_BYTES = 64 * 1024

interface ListedTranscript {
  /** The key in the transcript's header, or one derived from the session id. */
  readonly key: string
  readonly entry: SessionEntry
}

/** Lists the transcripts of a folder with an index entry for each. Archived transcripts are left out. */
async function listTranscripts(folder: string): Promise<readonly ListedTranscript[]> {
  const names = await readdir(folder).catch(() => [])
  const listed: ListedTranscript[] = []
  for (const name of names.sort()) {
    const sessionId = /^([A-Za-z0-9_-]{1,100})\.jsonl$/.exec(name)?.[1]
    if (sessionId === undefined) continue
    const transcript = await describe(join(folder, name), sessionId)
    if (transcript) listed.push(transcript)
  }
  return listed
}

async function describe(file: string, sessionId: string): Promise<ListedTranscript | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  // A transcript that cannot be opened is not listed.
  const handle = await open(file, flags).catch(() => null)
  if (handle === null) return null
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return null
    const start = (await readAt(handle, 0, Math.min(stat.size, HEADER_MAX_BYTES))).toString('utf8')
    const header = parseLine(start.split('\n', 1)[0]!)
    const changedAt = Math.floor(stat.mtimeMs)
    const startedAt = isHeader(header) ? Date.parse(header.timestamp) || changedAt : changedAt
    const key = isHeader(header) && typeof header.sessionKey === 'string' ? header.sessionKey : `session:${sessionId}`
    const times = { sessionStartedAt: startedAt, lastInteractionAt: changedAt, updatedAt: changedAt }
    return { key, entry: { sessionId, ...times } }
  } catch {
    return null
  } finally {
    await handle.close()
  }
}
