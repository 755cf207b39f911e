import { isObject, type StoredEntry } from './entry.ts'
import type { Message, UserMessage } from './message.ts'
import { readMessage, visibleParts } from './read-message.ts'

/** One message of the live context and the entry it comes from. */
export interface LiveMessage {
  readonly entryId: string
  readonly message: Message
}

export interface LiveContext {
  /** Oldest first; after a compaction the first one is its summary. */
  readonly live: readonly LiveMessage[]
  readonly compaction: StoredEntry | null
  /** The chain of parents ends at a missing entry. */
  readonly chainBroken: boolean
}

export interface PathCollector {
  /** Offer the entries of a file from its end backwards. `last` = older entries are not needed. */
  offer(entry: StoredEntry): 'aside' | 'taken' | 'last'
  finish(): LiveContext
}

/**
 * Collects the path from the leaf towards the root, as far as a model sees it: back to the newest compaction and on to the
 * first entry that it kept. A parent always precedes its child in the file; of two entries with one id the later one wins.
 */
export function createPathCollector(leafId?: string): PathCollector {
  let wanted: string | null | undefined = leafId
  let compaction: StoredEntry | null = null
  let behindCompaction = 0
  let isDone = false
  let keptFound = false
  const newestFirst: LiveMessage[] = []

  const take = (entry: StoredEntry) => {
    if (entry.type === 'compaction' && compaction === null) {
      compaction = entry
      behindCompaction = newestFirst.length
      isDone = entry.firstKeptEntryId === entry.id || typeof entry.firstKeptEntryId !== 'string'
      return
    }
    const message = entry.type === 'compaction' ? null : messageOf(entry)
    if (message) newestFirst.push({ entryId: entry.id, message })
    if (compaction !== null && entry.id === compaction.firstKeptEntryId) {
      keptFound = true
      isDone = true
    }
  }

  return {
    offer(entry) {
      if (isDone) return 'last'
      if (wanted !== undefined && entry.id !== wanted) return 'aside'
      wanted = entry.parentId
      take(entry)
      if (wanted === null) isDone = true
      return isDone ? 'last' : 'taken'
    },
    finish() {
      if (compaction !== null && !keptFound) newestFirst.length = behindCompaction
      const live = newestFirst.reverse()
      if (compaction !== null) live.unshift({ entryId: compaction.id, message: summaryOf(compaction) })
      return { live, compaction, chainBroken: !isDone && typeof wanted === 'string' }
    },
  }
}

/** The message that a model sees for an entry; null = none. */
export function messageOf(entry: StoredEntry): Message | null {
  switch (entry.type) {
    case 'message':
      return readMessage(entry.message)
    case 'compaction':
      return summaryOf(entry)
    case 'branch_summary':
      return typeof entry.summary === 'string'
        ? textMessage(entry, `Summary of the work on another branch of this conversation:\n\n${entry.summary}`)
        : null
    case 'custom_message': {
      const content = visibleParts(entry.content)
      return content.length === 0 ? null : { role: 'user', content, timestamp: timeOf(entry) }
    }
    default:
      return null
  }
}

function summaryOf(entry: StoredEntry): UserMessage {
  const summary = typeof entry.summary === 'string' ? entry.summary : ''
  return textMessage(entry, `Everything before this point was compacted to this summary:\n\n${summary}`)
}

/** The ids of messages that were delivered before the compaction. */
export function rememberedMessageIds(compaction: StoredEntry | null): readonly string[] {
  const details = compaction?.details
  if (!isObject(details) || !Array.isArray(details.messageIds)) return []
  return details.messageIds.filter((id) => typeof id === 'string')
}

function textMessage(entry: StoredEntry, text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: timeOf(entry) }
}

function timeOf(entry: StoredEntry): number {
  return Date.parse(entry.timestamp) || 0
}
