import type { ServerResponse } from 'node:http'
import type { FeedSignal } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import type { EventLog, LoggedEvent } from './event-log.ts'

export type EventFeed = ReturnType<typeof createEventFeed>

export interface FeedLimits {
  readonly maxReaders: number
  /** A reader that accepts no bytes for this long loses its stream. It can resume after its last event. */
  readonly stallMs: number
  readonly heartbeatMs: number
}

const DEFAULT_LIMITS: FeedLimits = { maxReaders: 256, stallMs: 15_000, heartbeatMs: 25_000 }
const PAGE = 100
const FEED_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
const HEARTBEAT = Buffer.from(': still here\n\n')

interface Reader {
  readonly response: ServerResponse
  cursor: number
  busy: boolean
}

/** Sends the event log to its readers as server-sent events. Each reader reads at its own pace. */
export function createEventFeed(log: EventLog, limits: Partial<FeedLimits> = {}) {
  const { maxReaders, stallMs, heartbeatMs } = { ...DEFAULT_LIMITS, ...limits }
  const readers = createReaders(heartbeatMs)
  const pump = createPump(log, readers, stallMs)
  const stopAdvance = log.onAdvance(() => {
    for (const reader of readers.list()) if (!reader.busy) void pump(reader)
  })

  return {
    /**
     * Takes over the response. `after` is the last event that the reader saw; null = only new events.
     * Throws `reader_limit_reached` before anything is sent.
     */
    async follow(response: ServerResponse, after: number | null) {
      if (readers.count >= maxReaders) {
        throw new ClawbooError('reader_limit_reached', `${maxReaders} event feeds are open. Close one and try again.`)
      }
      // Added before the first await, so that the limit counts this reader and `cutAll` reaches it.
      const reader: Reader = { response, cursor: 0, busy: true }
      readers.add(reader)
      response.once('close', () => readers.remove(reader))
      const first = await log.firstFollowable().catch((error: unknown) => {
        readers.remove(reader)
        throw error
      })
      if (response.destroyed || !readers.has(reader)) return readers.remove(reader)
      const known = after === null || (after >= first && after <= log.head)
      reader.cursor = known && after !== null ? after : log.head
      response.writeHead(200, FEED_HEADERS)
      response.write(signalFrame(known ? 'feed-ready' : 'feed-reset', reader.cursor))
      readers.startHeartbeat()
      void pump(reader)
    },
    get readerCount() {
      return readers.count
    },
    /** Ends every reader's stream. A reader with a valid credential can connect again. */
    cutAll() {
      for (const reader of readers.list()) {
        reader.response.destroy()
        readers.remove(reader)
      }
    },
    close() {
      stopAdvance()
      for (const reader of readers.list()) {
        reader.response.end()
        readers.remove(reader)
      }
    },
  }
}

type Readers = ReturnType<typeof createReaders>

/** The open readers. The heartbeat runs only while there are readers. */
function createReaders(heartbeatMs: number) {
  const readers = new Set<Reader>()
  let heartbeat: NodeJS.Timeout | null = null
  const beat = () => {
    for (const reader of readers) if (!reader.busy) reader.response.write(HEARTBEAT)
  }
  return {
    get count() {
      return readers.size
    },
    list: () => [...readers],
    has: (reader: Reader) => readers.has(reader),
    add: (reader: Reader) => void readers.add(reader),
    remove(reader: Reader) {
      readers.delete(reader)
      if (readers.size > 0 || heartbeat === null) return
      clearInterval(heartbeat)
      heartbeat = null
    },
    startHeartbeat() {
      heartbeat ??= setInterval(beat, heartbeatMs).unref()
    },
  }
}

/** Returns a function that sends events until the reader is up to date. At most one page per reader is in memory. */
function createPump(log: EventLog, readers: Readers, stallMs: number): (reader: Reader) => Promise<void> {
  const joinFrames = createFrameJoiner()
  const sendPages = async (reader: Reader) => {
    while (readers.has(reader)) {
      const found = log.after(reader.cursor, PAGE)
      const page = found instanceof Promise ? await found : found
      if (page.length === 0) return
      // The next events were deleted while the reader was behind. It gets `feed-reset` when it connects again.
      if (page[0]!.seq !== reader.cursor + 1) throw new Error('the reader fell behind the log')
      reader.cursor = page.at(-1)!.seq
      if (!reader.response.write(joinFrames(page))) await drained(reader.response, stallMs)
    }
  }
  const pump = async (reader: Reader): Promise<void> => {
    reader.busy = true
    try {
      await sendPages(reader)
    } catch {
      // The log is unreachable, or the reader accepted no bytes for too long. It resumes after its last event.
      reader.response.destroy()
      readers.remove(reader)
    } finally {
      reader.busy = false
    }
    // An event that arrived while `busy` was set has not been sent yet.
    if (readers.has(reader) && reader.cursor < log.head) void pump(reader)
  }
  return pump
}

function signalFrame(signal: FeedSignal, cursor: number): string {
  return `id: ${cursor}\nevent: ${signal}\ndata: {}\n\n`
}

/** Readers at the same cursor get the same buffer, which is joined once. */
function createFrameJoiner(): (page: readonly LoggedEvent[]) => Buffer {
  let last: { from: number; to: number; joined: Buffer } | null = null
  return (page) => {
    if (page.length === 1) return page[0]!.frame
    const from = page[0]!.seq
    const to = page.at(-1)!.seq
    if (last?.from !== from || last.to !== to)
      last = { from, to, joined: Buffer.concat(page.map((event) => event.frame)) }
    return last.joined
  }
}

function drained(response: ServerResponse, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer)
      response.off('drain', onDrain).off('close', onClose)
      if (error) reject(error)
      else resolve()
    }
    const onDrain = () => settle()
    const onClose = () => settle(new Error('the reader left'))
    const timer = setTimeout(() => settle(new Error('the reader stalled')), withinMs).unref()
    response.on('drain', onDrain).on('close', onClose)
  })
}
