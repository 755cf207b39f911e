import type { ServerResponse } from 'node:http'
import type { FeedSignal } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import type { EventLog, LoggedEvent } from './event-log.ts'

/** Sends the event log to its readers as server-sent events, each at its own pace. */
export interface EventFeed {
  /**
   * Takes over the response. `after` is the last event the reader saw; null = from now on.
   * Throws `reader_limit_reached` before anything is sent.
   */
  follow(response: ServerResponse, after: number | null): Promise<void>
  readonly readerCount: number
  /** Ends every reader's stream; a reader may come back with a credential that still holds. */
  cutAll(): void
  close(): void
}

export interface FeedLimits {
  readonly maxReaders: number
  /** How long a reader may take nothing before it is cut. It can resume where it was. */
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

export function createEventFeed(log: EventLog, limits: Partial<FeedLimits> = {}): EventFeed {
  const { maxReaders, stallMs, heartbeatMs } = { ...DEFAULT_LIMITS, ...limits }
  const readers = new Set<Reader>()
  const joinFrames = createFrameJoiner()
  let heartbeat: NodeJS.Timeout | null = null

  const pumpAll = () => {
    for (const reader of readers) if (!reader.busy) void pump(reader)
  }
  const stopAdvance = log.onAdvance(pumpAll)

  /** Sends until the reader is up to date. Holds at most one page for it: what it has not taken stays in the log. */
  const pump = async (reader: Reader) => {
    reader.busy = true
    try {
      while (readers.has(reader)) {
        const found = log.after(reader.cursor, PAGE)
        const page = found instanceof Promise ? await found : found
        if (page.length === 0) break
        // What came next was forgotten while the reader was behind: it has to come back and be told so.
        if (page[0]!.seq !== reader.cursor + 1) throw new Error('the reader fell behind the log')
        reader.cursor = page.at(-1)!.seq
        if (!reader.response.write(joinFrames(page))) await drained(reader.response, stallMs)
      }
    } catch {
      // The log is unreachable, or the reader took nothing for too long: it resumes from its last event.
      reader.response.destroy()
      leave(reader)
    } finally {
      reader.busy = false
    }
    // An event that came while `busy` was still set has found nobody to pump it.
    if (readers.has(reader) && reader.cursor < log.head) void pump(reader)
  }

  const leave = (reader: Reader) => {
    readers.delete(reader)
    if (readers.size > 0 || heartbeat === null) return
    clearInterval(heartbeat)
    heartbeat = null
  }
  const beat = () => {
    for (const reader of readers) if (!reader.busy) reader.response.write(HEARTBEAT)
  }

  return {
    async follow(response, after) {
      if (readers.size >= maxReaders) {
        throw new ClawbooError(
          'reader_limit_reached',
          `${maxReaders} event feeds are open already; close one and try again`,
        )
      }
      // In its place before anything is awaited: it counts, and a cut that comes meanwhile reaches it.
      const reader: Reader = { response, cursor: 0, busy: true }
      readers.add(reader)
      response.once('close', () => leave(reader))
      const first = await log.firstFollowable().catch((error: unknown) => {
        leave(reader)
        throw error
      })
      if (response.destroyed || !readers.has(reader)) return leave(reader)
      const known = after === null || (after >= first && after <= log.head)
      reader.cursor = known && after !== null ? after : log.head
      response.writeHead(200, FEED_HEADERS)
      response.write(signalFrame(known ? 'feed-ready' : 'feed-reset', reader.cursor))
      heartbeat ??= setInterval(beat, heartbeatMs).unref()
      void pump(reader)
    },
    get readerCount() {
      return readers.size
    },
    cutAll() {
      for (const reader of [...readers]) {
        reader.response.destroy()
        leave(reader)
      }
    },
    close() {
      stopAdvance()
      for (const reader of [...readers]) {
        reader.response.end()
        leave(reader)
      }
    },
  }
}

function signalFrame(signal: FeedSignal, cursor: number): string {
  return `id: ${cursor}\nevent: ${signal}\ndata: {}\n\n`
}

/** Readers that are equally far get the same buffer, joined once. */
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
