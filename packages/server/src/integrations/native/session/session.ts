import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ClawbooError, createInOrder } from '@clawboo/core'
import {
  type CompactionDetails,
  type EntryBody,
  entryLine,
  isObject,
  type StoredEntry,
  TRANSCRIPT_VERSION,
} from './entry.ts'
import { type LoadedTranscript, loadTranscript } from './load-transcript.ts'
import type { Message } from './message.ts'
import type { LiveMessage } from './model-context.ts'
import { abortedResult, nextMessage, type OpenCalls } from './pair-results.ts'
import { storable } from './read-message.ts'
import type { RepairReport } from './repair-transcript.ts'
import { SessionMemory } from './session-memory.ts'
import { TranscriptFile, unwritable } from './transcript-file.ts'

/**
 * One conversation: its whole transcript on disk and its live context in memory. This object must be the only writer:
 * opening a session twice at the same time mixes two conversations in one file.
 */
export interface Session {
  readonly sessionId: string
  readonly file: string
  /** The newest entry; null = no entry yet. */
  readonly leafId: string | null
  /** The repairs that were made when the session was opened. */
  readonly repaired: RepairReport
  /** The oldest messages were not loaded, because the context is too large. */
  readonly olderLeftOut: boolean
  readonly lastCompaction: { readonly entryId: string; readonly tokensAfter: number | null } | null
  /** The messages for the model, from the newest compaction on, without the `details` of results. */
  context(): readonly Message[]
  /** The same messages with their entry ids. A compaction cuts at one of these ids. */
  live(): readonly LiveMessage[]
  /** Whether a message was delivered: it is in the live context or among the newest that compactions removed from it. */
  hasMessage(messageId: string): boolean
  /**
   * Writes a batch as a whole and resolves to its ids; from then on its messages count as delivered. Rejects with
   * `store_unavailable` when the write fails, and the session stays unchanged. A result without an open call, or any other
   * message while calls are open, is a bug in the caller: a TypeError.
   */
  append(...items: readonly (Message | EntryBody)[]): Promise<readonly string[]>
  /** Replaces everything before `firstKept` with a summary; null keeps nothing. */
  compacted(summary: string, firstKept: string | null, options?: CompactedOptions): Promise<string>
  /** Call it at the end of a run: afterwards the appended entries survive a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface CompactedOptions {
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  readonly details?: CompactionDetails
  /** Entries to write after the summary, in the same batch. */
  readonly followedBy?: readonly EntryBody[]
}

export interface OpenSessionOptions {
  readonly cwd: string
  readonly now: () => number
  readonly sessionKey?: string
}

export function transcriptPath(folder: string, sessionId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(sessionId)) {
    throw new ClawbooError('path_refused', 'a session id must be 1 to 100 letters, digits, dashes and underscores')
  }
  return join(folder, `${sessionId}.jsonl`)
}

/** Never rejects because of the content. Rejects with `store_unavailable` when the file cannot be read or repaired. */
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
  const { waiting } = new SessionMemory(loaded).open
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

interface SessionInput {
  readonly sessionId: string
  readonly file: string
  readonly headerLine: string
  readonly now: () => number
  readonly loaded: LoadedTranscript
  readonly repaired: RepairReport
}

function createSession({ sessionId, file, headerLine, now, loaded, repaired }: SessionInput): Session {
  const memory = new SessionMemory(loaded)
  const transcript = new TranscriptFile(file, { end: loaded.end, headerLine })
  const inOrder = createInOrder()
  const idsAt = createEntryIds(loaded.lastCount)

  /** Assigns ids and parents at the time of the write, because the previous batch may have failed. */
  const write = async (bodyMakers: readonly ((id: string) => EntryBody)[]): Promise<readonly string[]> => {
    let entries: (StoredEntry & EntryBody)[] = []
    checkEntries(
      memory.open,
      bodyMakers.map((makeBody) => makeBody('')),
    )
    if (bodyMakers.length === 0) return []
    await transcript.append((position) => {
      const newId = idsAt(position)
      const timestamp = new Date(now()).toISOString()
      let parentId = memory.leafId
      entries = bodyMakers.map((makeBody) => {
        const id = newId()
        const entry = { ...makeBody(id), id, parentId, timestamp }
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
    append: (...items) => inOrder(() => write(items.map((item) => () => bodyOf(item)))),
    compacted: (summary, firstKept, options = {}) =>
      inOrder(async () => {
        checkCut(memory, firstKept)
        const compaction = compactionMaker(summary, firstKept, memory.idsToRemember(firstKept), options)
        const followedBy = (options.followedBy ?? []).map((body) => () => body)
        return (await write([compaction, ...followedBy]))[0]!
      }),
    sync: () => inOrder(() => transcript.sync()),
    close: () => inOrder(() => transcript.close()),
  }
}

/** Creates the body of a compaction once its own id is known, which stands for "keep nothing". */
function compactionMaker(
  summary: string,
  firstKept: string | null,
  messageIds: readonly string[],
  { details, tokensAfter, tokensBefore = 0 }: CompactedOptions,
): (id: string) => EntryBody {
  return (id) => ({
    type: 'compaction',
    summary,
    firstKeptEntryId: firstKept ?? id,
    tokensBefore,
    details: { ...details, ...(tokensAfter === undefined ? {} : { tokensAfter }), messageIds },
  })
}

/** Throws a TypeError when a compaction cannot keep exactly the messages from `firstKept` on. */
function checkCut(memory: SessionMemory, firstKept: string | null): void {
  if (firstKept === null) return
  const first = memory.live.find(({ entryId }) => entryId === firstKept)
  if (!first) throw new TypeError(`${firstKept} is not an entry of the live context`)
  if (firstKept === memory.compaction?.entryId) throw new TypeError('a compaction cannot keep the previous summary')
  if (first.message.role === 'toolResult') throw new TypeError('a compaction cannot separate a call from its result')
}

function bodyOf(item: Message | EntryBody): EntryBody {
  if ('type' in item) return item.type === 'message' ? { ...item, message: storable(item.message) } : item
  return { type: 'message', message: storable(item) }
}

/**
 * Entry ids are counted, and never lower than the position in the file. This makes them unique without reading the whole
 * file, even next to lines that another program wrote.
 */
function createEntryIds(lastCount: number): (position: number) => () => string {
  let count = lastCount
  return (position) => {
    count = Math.max(count, position)
    return () => (count < 0xffffffff ? (++count).toString(16).padStart(8, '0') : randomUUID())
  }
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'toolResult']

/**
 * Throws a TypeError for entries that would make the transcript invalid: a message without a role, a call that nothing
 * could answer, or a call separated from its result. Only a bug in this program produces such entries.
 */
function checkEntries(open: OpenCalls, bodies: readonly EntryBody[]): void {
  let calls = open
  for (const body of bodies) {
    if (body.type === 'message') calls = checkMessage(calls, body.message)
    else if (SHOWN.includes(body.type) && calls.waiting.length > 0) throw separated(body.type, calls)
  }
}

/** Entry types that a model sees although they are not messages. */
const SHOWN: readonly string[] = ['compaction', 'branch_summary', 'custom_message']

function checkMessage(open: OpenCalls, message: Message): OpenCalls {
  if (!isObject(message) || !ROLES.includes(message.role)) throw new TypeError('a message needs a role')
  if (!Array.isArray(message.content)) throw new TypeError(`a ${message.role} message needs content`)
  for (const part of message.content) {
    if (part.type !== 'toolCall') continue
    if (typeof part.id === 'string' && part.id !== '' && typeof part.name === 'string' && part.name !== '') {
      if (isObject(part.arguments)) continue
    }
    throw new TypeError('a tool call needs an id, a name and arguments')
  }
  const step = nextMessage(open, message)
  if (step.fits) return step.open
  if (step.why === 'unanswered') throw separated(message.role, open)
  throw new TypeError('a tool result needs an open call')
}

function separated(entryType: string, open: OpenCalls): TypeError {
  return new TypeError(`a ${entryType} cannot come between ${open.waiting[0]?.name} and its result`)
}
