import { isObject, type StoredEntry } from './entry.ts'
import type { LoadedTranscript } from './load-transcript.ts'
import type { Message } from './message.ts'
import { type LiveMessage, messageOf, rememberedMessageIds } from './model-context.ts'
import { NO_OPEN_CALLS, nextMessage, type OpenCalls, pairItems } from './pair-results.ts'

/** How many delivered messages are still recognised after they have left the context. */
const REMEMBERED_MESSAGES = 256

/** The part of a session in memory. Its size depends on the live context, not on the length of the transcript. */
export class SessionMemory {
  leafId: string | null
  live: LiveMessage[]
  open: OpenCalls
  compaction: { readonly entryId: string; readonly tokensAfter: number | null } | null
  #remembered: readonly string[]
  #known: Set<string>

  constructor({ leafId, context }: LoadedTranscript) {
    this.leafId = leafId
    this.live = [...pairUpTo(context.live)]
    this.open = this.live.reduce((calls, { message }) => advance(calls, message), NO_OPEN_CALLS)
    this.compaction = factsOf(context.compaction)
    this.#remembered = rememberedMessageIds(context.compaction)
    this.#known = new Set([...this.#remembered, ...messageIdsOf(this.live)])
  }

  hasMessage(messageId: string): boolean {
    return this.#known.has(messageId)
  }

  /** The message ids to store in a compaction that keeps everything from `firstKept` on. */
  idsToRemember(firstKept: string | null): readonly string[] {
    const left = this.live.slice(0, this.#keptFrom(firstKept))
    return [...this.#remembered, ...messageIdsOf(left)].slice(-REMEMBERED_MESSAGES)
  }

  take(entry: StoredEntry): void {
    this.leafId = entry.id
    const message = entry.type === 'compaction' ? null : messageOf(entry)
    if (entry.type === 'compaction') this.#compact(entry)
    if (message === null) return
    this.open = advance(this.open, message)
    this.live.push({ entryId: entry.id, message })
    if (message.role === 'user' && message.messageId !== undefined) this.#known.add(message.messageId)
  }

  #compact(entry: StoredEntry): void {
    const firstKept = typeof entry.firstKeptEntryId === 'string' ? entry.firstKeptEntryId : null
    this.#remembered = this.idsToRemember(firstKept)
    this.live = [{ entryId: entry.id, message: messageOf(entry)! }, ...this.live.slice(this.#keptFrom(firstKept))]
    this.compaction = factsOf(entry)
    this.#known = new Set([...this.#remembered, ...messageIdsOf(this.live)])
  }

  #keptFrom(firstKept: string | null): number {
    const at = firstKept === null ? -1 : this.live.findIndex(({ entryId }) => entryId === firstKept)
    return at === -1 ? this.live.length : at
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
