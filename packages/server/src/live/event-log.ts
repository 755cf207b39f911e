import type { LiveEvent } from '@clawboo/api'
import type { Repositories, Store } from '../store/open-store.ts'

/** One stored event, ready to be sent: its frame is made once and shared by all readers. */
export interface LoggedEvent {
  readonly seq: number
  readonly frame: Buffer
}

/**
 * The durable log of everything that happened. Writers append inside their own transaction, so an event exists exactly
 * when its change does; readers follow by cursor and miss nothing.
 */
export interface EventLog {
  /** The events behind `seq`, oldest first, at most `limit`. At once, from memory, when they are recent. */
  after(seq: number, limit: number): readonly LoggedEvent[] | Promise<readonly LoggedEvent[]>
  /** The newest sequence number that has been pulled. */
  readonly head: number
  /** The newest that is committed, which may be a moment ahead of `head`. */
  lastSeq(): Promise<number>
  /** The oldest number that can still be followed from: everything behind it is kept. */
  firstFollowable(): Promise<number>
  /** To be called when a transaction that appended has been committed. */
  wake(): void
  /** Runs after new events were pulled. */
  onAdvance(listener: () => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'clawboo_events'
const PAGE = 200
const RETRY_MS = 1000
const POLL_MS = 2000
/** Frames kept in memory for readers that are close behind. */
const RECENT = 1000

/** Appends behind everything else in the caller's transaction. */
export function appendEvents(tx: Repositories, events: readonly LiveEvent[], at: number): Promise<void> {
  return events.reduce(async (before, event) => {
    await before
    await tx.events.append({ type: event.type, body: event, at })
  }, Promise.resolve())
}

/** Keeps the newest `keepLast` events, give or take a tenth, and forgets the rest by itself. */
export async function openEventLog(store: Store, { keepLast = 100_000 } = {}): Promise<EventLog> {
  await store.events.prune(keepLast)
  let head = await store.events.lastSeq()
  let prunedAt = head
  let recent: LoggedEvent[] = []
  let dirty = false
  let closed = false
  let pulling: Promise<void> | null = null
  const listeners = new Set<() => void>()

  /** The only reader of the log's end; wake-ups that come while it runs make it go round once more. */
  const pull = async () => {
    while (dirty && !closed) {
      dirty = false
      for (;;) {
        const page = await store.events.after(head, PAGE)
        if (page.length === 0 || closed) break
        recent.push(...page.map(toLogged))
        if (recent.length > 2 * RECENT) recent = recent.slice(-RECENT)
        head = page.at(-1)!.seq
        for (const listener of listeners) listener()
        if (head - prunedAt >= keepLast / 10) {
          prunedAt = head
          await store.events.prune(keepLast).catch(() => 0)
        }
        if (page.length < PAGE) break
      }
    }
  }
  const wakeLocally = () => {
    dirty = true
    pulling ??= pull().finally(() => {
      pulling = null
      if (dirty && !closed) wakeLocally()
    })
    pulling.catch(() => {
      // The store was unreachable, and nobody may wake the log again for what is already there.
      if (!closed) setTimeout(wakeLocally, RETRY_MS).unref()
    })
  }
  // A server that was killed between its commit and its wake-up told nobody, and on SQLite none tells another process.
  const poll = setInterval(wakeLocally, POLL_MS).unref()
  const stopListening = store.db.listen(CHANNEL, wakeLocally)

  return {
    get head() {
      return head
    },
    lastSeq: () => store.events.lastSeq(),
    after(seq, limit) {
      const oldest = recent[0]
      if (oldest && seq >= oldest.seq - 1) {
        const start = seq - oldest.seq + 1
        return recent.slice(start, start + limit)
      }
      if (seq >= head) return []
      return store.events.after(seq, limit).then((page) => page.map(toLogged))
    },
    async firstFollowable() {
      const first = await store.events.firstSeq()
      return first === 0 ? head : first - 1
    },
    wake() {
      store.db.notify(CHANNEL)
    },
    onAdvance(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      clearInterval(poll)
      stopListening()
      listeners.clear()
      await pulling?.catch(() => {})
    },
  }
}

function toLogged(event: { seq: number; type: string; body: string }): LoggedEvent {
  return { seq: event.seq, frame: Buffer.from(`id: ${event.seq}\nevent: ${event.type}\ndata: ${event.body}\n\n`) }
}
