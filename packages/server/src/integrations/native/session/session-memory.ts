import { isObject, type StoredEntry } from './entry.ts'
import type { LoadedTranscript } from './load-transcript.ts'
import type { Message } from './message.ts'
import { type LiveMessage, messageOf, rememberedMessageIds } from './model-context.ts'
import { NO_OPEN_CALLS, nextMessage, type OpenCalls, pairItems } from './pair-results.ts'

/** How many delivered messages are still recognised after they have left the context. */
const REMEMBERED_MESSAGES = 256

/** The part of a session in memory. Its size depends on the live context, not on the length of the transcript. */
export interface SessionMemory {
  readonly leafId: string | null
  readonly live: readonly LiveMessage[]
  readonly open: OpenCalls
  readonly compaction: { readonly entryId: string; readonly tokensAfter: number | null } | null
  hasMessage(messageId: string): boolean
  /** The message ids to store in a compaction that keeps everything from `firstKept` on. */
  idsToRemember(firstKept: string | null): readonly string[]
  take(entry: StoredEntry): void
}

export function createSessionMemory(loaded: LoadedTranscript): SessionMemory {
  let live = [...pairUpTo(loaded.context.live)]
  let open = live.reduce((calls, { message }) => advance(calls, message), NO_OPEN_CALLS)
  let { leafId } = loaded
  let compaction = factsOf(loaded.context.compaction)
  let remembered = rememberedMessageIds(loaded.context.compaction)
  let known = new Set([...remembered, ...messageIdsOf(live)])

  const keptFrom = (firstKept: string | null) => {
    const at = firstKept === null ? -1 : live.findIndex(({ entryId }) => entryId === firstKept)
    return at === -1 ? live.length : at
  }
  const idsToRemember = (firstKept: string | null) =>
    [...remembered, ...messageIdsOf(live.slice(0, keptFrom(firstKept)))].slice(-REMEMBERED_MESSAGES)

  const compact = (entry: StoredEntry) => {
    const firstKept = typeof entry.firstKeptEntryId === 'string' ? entry.firstKeptEntryId : null
    const messageIds = idsToRemember(firstKept)
    live = [{ entryId: entry.id, message: messageOf(entry)! }, ...live.slice(keptFrom(firstKept))]
    compaction = factsOf(entry)
    remembered = messageIds
    known = new Set([...remembered, ...messageIdsOf(live)])
  }

  return {
    get leafId() {
      return leafId
    },
    get live() {
      return live
    },
    get open() {
      return open
    },
    get compaction() {
      return compaction
    },
    hasMessage: (messageId) => known.has(messageId),
    idsToRemember,
    take(entry) {
      leafId = entry.id
      if (entry.type === 'compaction') return compact(entry)
      const message = messageOf(entry)
      if (message === null) return
      open = advance(open, message)
      live.push({ entryId: entry.id, message })
      if (message.role === 'user' && message.messageId !== undefined) known.add(message.messageId)
    },
  }
}

/** Pairs all calls with results except those at the very end, whose results are still to be written. */
function pairUpTo(live: readonly LiveMessage[]): readonly LiveMessage[] {
  const lastOther = live.findLastIndex(({ message }) => message.role !== 'toolResult')
  const paired = pairItems(
    live.slice(0, Math.max(0, lastOther)),
    ({ message }) => message,
    (message, after) => ({ entryId: after.entryId, message }),
  )
  const rest: LiveMessage[] = []
  let open = NO_OPEN_CALLS
  for (const item of live.slice(Math.max(0, lastOther))) {
    const step = nextMessage(open, item.message)
    if (!step.fits) continue
    open = step.open
    rest.push(item)
  }
  return [...paired, ...rest]
}

function advance(open: OpenCalls, message: Message): OpenCalls {
  const step = nextMessage(open, message)
  return step.fits ? step.open : open
}

function factsOf(compaction: StoredEntry | null): SessionMemory['compaction'] {
  if (compaction === null) return null
  const tokensAfter = isObject(compaction.details) ? compaction.details.tokensAfter : null
  return { entryId: compaction.id, tokensAfter: typeof tokensAfter === 'number' ? tokensAfter : null }
}

function messageIdsOf(live: readonly LiveMessage[]): string[] {
  return live.flatMap(({ message }) =>
    message.role === 'user' && message.messageId !== undefined ? [message.messageId] : [],
  )
}
