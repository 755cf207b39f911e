import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { createTurns } from '../take-turns.ts'
import { checkEntries } from './check-entries.ts'
import { type CompactionDetails, type EntryBody, entryLine, type StoredEntry, TRANSCRIPT_VERSION } from './entry.ts'
import { type LoadedTranscript, loadTranscript } from './load-transcript.ts'
import type { Message } from './message.ts'
import type { LiveMessage } from './model-context.ts'
import { abortedResult } from './pair-results.ts'
import { storable } from './read-message.ts'
import type { RepairReport } from './repair-transcript.ts'
import { createSessionMemory } from './session-memory.ts'
import { createTranscriptFile, unwritable } from './transcript-file.ts'

/**
 * One conversation: its transcript on disk and, in memory, only what a model is to see of it. There is one writer, this
 * object; whoever opens a session twice at the same time has two conversations in one file.
 */
export interface Session {
  readonly sessionId: string
  readonly file: string
  /** The newest entry; null = there is none yet. */
  readonly leafId: string | null
  /** What had to be repaired when it was opened. */
  readonly repaired: RepairReport
  readonly olderLeftOut: boolean
  readonly lastCompaction: { readonly entryId: string; readonly tokensAfter: number | null } | null
  /** What a model is to see, from the newest compaction on; `details` of results are left out. */
  context(): readonly Message[]
  /** The same with the ids of the entries, to cut at. */
  live(): readonly LiveMessage[]
  /** Whether a message was delivered: in the live context or among the newest that a compaction took out of it. */
  hasMessage(messageId: string): boolean
  /**
   * Appends a batch that lands together; resolves to the ids when it is in the file, and from then on it is delivered.
   * Rejects with `store_unavailable` when it is not, and the session is as before. A result that answers no open call, and
   * anything else while calls wait for their results, is a mistake of the caller: a TypeError.
   */
  append(...items: readonly (Message | EntryBody)[]): Promise<readonly string[]>
  /** Replaces everything before `firstKept` by a summary; null keeps nothing. */
  compacted(summary: string, firstKept: string | null, options?: CompactedOptions): Promise<string>
  /** Call it at the end of a turn. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface CompactedOptions {
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  readonly details?: CompactionDetails
  /** Entries that land together with the summary, behind it. */
  readonly followedBy?: readonly EntryBody[]
}

export interface OpenSessionOptions {
  readonly cwd: string
  readonly now: () => number
  readonly sessionKey?: string
}

export function transcriptPath(folder: string, sessionId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(sessionId)) {
    throw new ClawbooError(
      'path_refused',
      'a session is named with at most 100 letters, digits, dashes and underscores',
    )
  }
  return join(folder, `${sessionId}.jsonl`)
}

/** Never rejects for what the file holds; rejects with `store_unavailable` when the disk does not let it be read. */
export async function openSession(folder: string, sessionId: string, options: OpenSessionOptions): Promise<Session> {
  const file = transcriptPath(folder, sessionId)
  const { now } = options
  const headerLine = JSON.stringify({
    type: 'session',
    version: TRANSCRIPT_VERSION,
    id: sessionId,
    timestamp: new Date(now()).toISOString(),
    cwd: options.cwd,
    ...(options.sessionKey === undefined ? {} : { sessionKey: options.sessionKey }),
  })
  const loaded = await loadTranscript(file, { headerLine, newId: randomUUID, now }).catch((error: unknown) => {
    throw unwritable(file, error)
  })
  const waiting = createSessionMemory(loaded).open.waiting
  const resultsAdded = loaded.report.resultsAdded + waiting.length
  const repaired = { ...loaded.report, resultsAdded }
  const session = createSession({ sessionId, file, headerLine, now, loaded, repaired })
  if (waiting.length === 0) return session
  try {
    await session.append(...waiting.map((call) => abortedResult(call, now())))
    return session
  } catch (error) {
    await session.close()
    throw error
  }
}

interface SessionParts {
  readonly sessionId: string
  readonly file: string
  readonly headerLine: string
  readonly now: () => number
  readonly loaded: LoadedTranscript
  readonly repaired: RepairReport
}

function createSession({ sessionId, file, headerLine, now, loaded, repaired }: SessionParts): Session {
  const memory = createSessionMemory(loaded)
  const transcript = createTranscriptFile(file, { end: loaded.end, headerLine })
  const inTurn = createTurns()
  const idsAt = createEntryIds(loaded.lastCount)

  /** Ids and parents are given when a batch's turn has come: the one before it may have failed. */
  const write = async (makers: readonly ((id: string) => EntryBody)[]): Promise<readonly string[]> => {
    let entries: (StoredEntry & EntryBody)[] = []
    checkEntries(
      memory.open,
      makers.map((bodyWith) => bodyWith('')),
    )
    if (makers.length === 0) return []
    await transcript.append((position) => {
      const newId = idsAt(position)
      const timestamp = new Date(now()).toISOString()
      let parentId = memory.leafId
      entries = makers.map((bodyWith) => {
        const id = newId()
        const entry = { ...bodyWith(id), id, parentId, timestamp }
        parentId = id
        return entry
      })
      return entries.map(entryLine)
    })
    for (const entry of entries) memory.take(entry)
    return entries.map(({ id }) => id)
  }

  return {
    sessionId,
    file,
    repaired,
    olderLeftOut: loaded.olderLeftOut,
    get leafId() {
      return memory.leafId
    },
    get lastCompaction() {
      return memory.compaction
    },
    context: () => memory.live.map(({ message }) => message),
    live: () => [...memory.live],
    hasMessage: (messageId) => memory.hasMessage(messageId),
    append: (...items) => inTurn(() => write(items.map((item) => () => bodyOf(item)))),
    compacted: (summary, firstKept, options = {}) =>
      inTurn(async () => {
        const first = firstKept === null ? null : memory.live.find(({ entryId }) => entryId === firstKept)
        if (first === undefined) throw new TypeError(`${firstKept} is no entry of the live context`)
        if (firstKept !== null && firstKept === memory.compaction?.entryId) {
          throw new TypeError('a summary is replaced, not kept')
        }
        if (first?.message.role === 'toolResult') throw new TypeError('a cut cannot part a call from its result')
        const details = {
          ...options.details,
          ...(options.tokensAfter === undefined ? {} : { tokensAfter: options.tokensAfter }),
          messageIds: memory.idsToRemember(firstKept),
        }
        const tokensBefore = options.tokensBefore ?? 0
        const compaction = (id: string): EntryBody => ({
          type: 'compaction',
          summary,
          firstKeptEntryId: firstKept ?? id,
          tokensBefore,
          details,
        })
        const followedBy = (options.followedBy ?? []).map((body) => () => body)
        return (await write([compaction, ...followedBy]))[0]!
      }),
    sync: () => inTurn(() => transcript.sync()),
    close: () => inTurn(() => transcript.close()),
  }
}

function bodyOf(item: Message | EntryBody): EntryBody {
  if ('type' in item) return item.type === 'message' ? { ...item, message: storable(item.message) } : item
  return { type: 'message', message: storable(item) }
}

/**
 * Counted, and never below the place in the file: unique without knowing all the others, also beside lines that somebody
 * else wrote.
 */
function createEntryIds(lastCount: number): (position: number) => () => string {
  let count = lastCount
  return (position) => {
    count = Math.max(count, position)
    return () => (count < 0xffffffff ? (++count).toString(16).padStart(8, '0') : randomUUID())
  }
}
