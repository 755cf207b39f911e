import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { isObject, type JsonObject } from './entry.ts'
import { listTranscripts } from './list-transcripts.ts'
import { replaceFile } from './replace-file.ts'
import { transcriptPath } from './session.ts'

/** What is known about a conversation beside its transcript. Fields this program does not know are kept. */
export interface SessionEntry {
  readonly sessionId: string
  /** Milliseconds, as all times here. */
  readonly sessionStartedAt: number
  readonly lastInteractionAt: number
  readonly updatedAt: number
  readonly label?: string
  readonly thinkingLevel?: string
  readonly verboseLevel?: 'off' | 'on' | 'full'
  readonly modelOverride?: string
  readonly modelOverrideSource?: 'auto' | 'user'
  readonly queueMode?: string
  readonly queueDebounceMs?: number
  readonly queueCap?: number
  readonly queueDrop?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly contextTokens?: number
  readonly compactionCount?: number
  /** Signatures of truncation warnings that were shown, newest last. */
  readonly bootstrapWarnings?: readonly string[]
}

/** The list of an agent's sessions, `sessions.json` beside the transcripts. A change is on disk when its promise resolves. */
export interface SessionIndex {
  get(key: string): SessionEntry | undefined
  all(): ReadonlyMap<string, SessionEntry>
  /** The session under a key; a new one when there is none. */
  ensure(key: string): Promise<SessionEntry>
  /** Undefined takes a field away. */
  update(key: string, change: Partial<Omit<SessionEntry, 'sessionId'>>): Promise<SessionEntry>
  /** Begins anew under a key, because a person asked for it. The old transcript, which must be closed, is kept aside. */
  newSession(key: string): Promise<SessionEntry>
  remove(key: string): Promise<void>
  /** Whether the list had to be rebuilt from the transcripts. */
  readonly rebuilt: boolean
}

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
  return createIndex(folder, file, sessions, now, !read.isWhole && (read.exists || sessions.size > 0))
}

function createIndex(
  folder: string,
  file: string,
  initial: Map<string, SessionEntry>,
  now: () => number,
  rebuilt: boolean,
): SessionIndex {
  let sessions = initial
  let last: Promise<unknown> = Promise.resolve()

  /** Only what is on disk is true. */
  const change = <T>(work: (draft: Map<string, SessionEntry>) => Promise<T> | T): Promise<T> => {
    const turn = last.then(async () => {
      const draft = new Map(sessions)
      const result = await work(draft)
      await writeIndex(folder, file, draft)
      sessions = draft
      return result
    })
    last = turn.catch(() => {})
    return turn
  }
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
    rebuilt,
    get: (key) => sessions.get(key),
    all: () => new Map(sessions),
    ensure: async (key) => sessions.get(key) ?? change((draft) => ensureIn(draft, key)),
    update: (key, fields) =>
      change((draft) => {
        const entry: SessionEntry = { ...ensureIn(draft, key), updatedAt: now(), ...fields }
        draft.set(key, entry)
        return entry
      }),
    newSession: (key) =>
      change(async (draft) => {
        const old = draft.get(key)
        // Moved first: after a crash in between, the person finds an empty session and not the old one.
        if (old) await archive(folder, old.sessionId, now())
        const { label, thinkingLevel, verboseLevel, modelOverride, modelOverrideSource } = old ?? {}
        const chosen = modelOverrideSource === 'user' ? { modelOverride, modelOverrideSource } : {}
        const entry: SessionEntry = { ...fresh(), ...chosen, label, thinkingLevel, verboseLevel }
        draft.set(key, entry)
        return entry
      }),
    remove: (key) => change((draft) => void draft.delete(key)),
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
    const problem = `the list of sessions cannot be written: ${(error as Error).message}`
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
