import type { LiveEvent } from '@clawboo/api'
import type { Repositories, Store } from '../store/open-store.ts'

/** One stored event as a frame of the feed. The frame is built once and shared by all readers. */
export interface LoggedEvent {
  readonly seq: number
  readonly frame: Buffer
}

export type EventLog = Awaited<ReturnType<typeof openEventLog>>

const CHANNEL = 'clawboo_events'
const PAGE = 200
const RETRY_MS = 1000
const POLL_MS = 2000
/** How many frames stay in memory for readers that are only slightly behind. */
const RECENT = 1000

/** Appends the events at the end of the caller's transaction. */
export async function appendEvents(tx: Repositories, events: readonly LiveEvent[], at: number): Promise<void> {
  for (const event of events) await tx.events.append({ type: event.type, body: event, at })
}

/**
 * The durable log of all events. Writers append inside their own transaction, so an event exists only together with its
 * change. Readers follow the log by cursor and miss nothing. It stores the newest `keepLast` events, plus at most a tenth
 * more, and deletes older events automatically.
 */
export async function openEventLog(store: Store, { keepLast = 100_000 } = {}) {
  await store.events.prune(keepLast)
  const listeners = new Set<() => void>()
  const tail = createLogTail(store, {
    head: await store.events.lastSeq(),
    keepLast,
    onAdvance: () => {
      for (const listener of listeners) listener()
    },
  })
  // A server that is killed between its commit and its wake-up wakes no reader, and SQLite wakes no other process.
  const poll = setInterval(tail.pull, POLL_MS).unref()
  const stopListening = store.db.listen(CHANNEL, tail.pull)

  return {
    /** The newest sequence number that this server has read. */
    get head() {
      return tail.head
    },
    /** The newest committed sequence number, which can be slightly ahead of `head`. */
    lastSeq: () => store.events.lastSeq(),
    /** The events after `seq`, oldest first, at most `limit`. Recent events come from memory, without a promise. */
    after(seq: number, limit: number) {
      const recent = tail.after(seq, limit)
      return recent ?? store.events.after(seq, limit).then((page) => page.map(toLogged))
    },
    /** The oldest number that a reader can continue from: every later event is stored. */
    async firstFollowable() {
      const first = await store.events.firstSeq()
      return first === 0 ? tail.head : first - 1
    },
    /** Call it after the commit of a transaction that appended events. */
    wake() {
      store.db.notify(CHANNEL)
    },
    /** Runs the listener after new events were read. */
    onAdvance(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      clearInterval(poll)
      stopListening()
      listeners.clear()
      await tail.close()
    },
  }
}

interface TailOptions {
  readonly head: number
  readonly keepLast: number
  readonly onAdvance: () => void
}

/** The newest events, in memory. */
function createLogTail(store: Store, { head: start, keepLast, onAdvance }: TailOptions) {
  const prune = createPruner(store, start, keepLast)
  let head = start
  let recent: LoggedEvent[] = []
  let dirty = false
  let closed = false
  let pulling: Promise<void> | null = null

  const readPages = async () => {
    for (;;) {
      const page = await store.events.after(head, PAGE)
      if (page.length === 0 || closed) return
      recent.push(...page.map(toLogged))
      if (recent.length > 2 * RECENT) recent = recent.slice(-RECENT)
      head = page.at(-1)!.seq
      onAdvance()
      await prune(head)
      if (page.length < PAGE) return
    }
  }
  const readWhileDirty = async () => {
    while (dirty && !closed) {
      dirty = false
      await readPages()
    }
  }
  const pull = () => {
    dirty = true
    pulling ??= readWhileDirty().finally(() => {
      pulling = null
      if (dirty && !closed) pull()
    })
    pulling.catch(() => {
      // The store was unreachable, and no further wake-up may come for the events that it already has.
      if (!closed) setTimeout(pull, RETRY_MS).unref()
    })
  }

  return {
    get head() {
      return head
    },
    /** null when the events are no longer in memory. */
    after(seq: number, limit: number) {
      const oldest = recent[0]
      if (oldest && seq >= oldest.seq - 1) {
        const start = seq - oldest.seq + 1
        return recent.slice(start, start + limit)
      }
      return seq >= head ? [] : null
    },
    /** Reads the events since the last pull. During a pull, it makes the pull read once more. */
    pull,
    async close() {
      closed = true
      // The pull has already handled its failure.
      await pulling?.catch(() => {})
    },
  }
}

/** Returns a function that prunes after every tenth of `keepLast`. */
function createPruner(store: Store, start: number, keepLast: number): (head: number) => Promise<void> {
  let prunedAt = start
  return async (head) => {
    if (head - prunedAt < keepLast / 10) return
    prunedAt = head
    // A failed prune only leaves old events on disk. The next prune deletes them.
    await store.events.prune(keepLast).catch(() => 0)
  }
}

function toLogged(event: { seq: number; type: string; body: string }): LoggedEvent {
  return { seq: event.seq, frame: Buffer.from(`id: ${event.seq}\nevent: ${event.type}\ndata: ${event.body}\n\n`) }
}
