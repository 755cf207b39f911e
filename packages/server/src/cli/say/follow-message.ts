import { setTimeout as pause } from 'node:timers/promises'
import { type DoneEvent, type ErrorEvent, endsRun, type MessageRecord, type RuntimeEvent } from '@clawboo/core/executor'

export interface Following {
  readonly messageId: string
  /** null while the message waits for a run. */
  readonly runId: string | null
  readonly events: AsyncIterable<RuntimeEvent>
  /** Returns the current message, or null when the server is unavailable. */
  readonly look: () => Promise<MessageRecord | null>
  /** Receives each event of a run that includes the message. */
  readonly show: (event: RuntimeEvent) => Promise<void>
  /** Called with the run that includes the message, and with null when the message waits again. */
  readonly onRun: (runId: string | null) => void
}

export type MessageEnd =
  | { readonly type: 'answered'; readonly event: DoneEvent | ErrorEvent }
  | { readonly type: 'undelivered'; readonly message: MessageRecord }

const LOOK_MS = 2000
const SETTLE_TRIES = 50
const SETTLE_PAUSE_MS = 100
const UNDELIVERED: readonly string[] = ['withdrawn', 'dropped', 'failed', 'uncertain']

/**
 * Follows a message through every run that includes it, until one answers. A message that was joined with others or
 * dropped has no event of its own, so its row is looked up. Returns null when the events stop first.
 */
export async function followMessage(following: Following): Promise<MessageEnd | null> {
  const { messageId, look, show, onRun } = following
  let { runId } = following
  let isDelivered = false
  let lookedAt = Date.now()
  const beginning = createBeginning()
  const goInto = (run: string | null) => {
    runId = run
    onRun(run)
  }
  const take = async (event: RuntimeEvent): Promise<MessageEnd | null> => {
    if (event.runId !== runId) return null
    if (delivers(event, messageId)) isDelivered = true
    await show(event)
    if (!endsRun(event)) return null
    const message = isDelivered ? null : await settled(look, runId)
    if (message && UNDELIVERED.includes(message.state)) return { type: 'undelivered', message }
    if (!message || message.runId === runId) return { type: 'answered', event }
    goInto(message.runId)
    return null
  }
  for await (const event of withPauses(following.events, LOOK_MS)) {
    if (runId === null) {
      if (event) beginning.hold(event)
      const isOwn = event !== null && delivers(event, messageId)
      const isDue = event === null || delivers(event) || endsRun(event) || Date.now() - lookedAt >= LOOK_MS
      if (!isOwn && !isDue) continue
      const message = isOwn ? null : await look()
      lookedAt = Date.now()
      if (message && UNDELIVERED.includes(message.state)) return { type: 'undelivered', message }
      const found = isOwn ? event.runId : (message?.runId ?? null)
      if (found !== null) goInto(found)
      else if (message && event) beginning.isNotOurs(event.runId)
    }
    for (const held of runId === null ? [] : beginning.release(runId, event)) {
      const end = await take(held)
      if (end) return end
    }
  }
  return null
}

/** Whether the event delivers this message, or any message when no id is passed. */
function delivers(event: RuntimeEvent, messageId?: string): boolean {
  if (event.type !== 'status' || event.state !== 'prompt-delivered') return false
  return messageId === undefined || event.promptId === messageId
}

/** Buffers the first events of a run until it is known whether the run includes the message. */
function createBeginning() {
  let held: RuntimeEvent[] = []
  let foreign: string | null = null
  return {
    hold(event: RuntimeEvent): void {
      if (event.runId !== foreign) held.push(event)
    },
    isNotOurs(runId: string): void {
      foreign = runId
      held = held.filter((event) => event.runId !== runId)
    },
    /** Returns the buffered events of the run, then the newest event. */
    release(runId: string, newest: RuntimeEvent | null): readonly RuntimeEvent[] {
      const kept = held.filter((event) => event.runId === runId && event !== newest)
      held = []
      return newest ? [...kept, newest] : kept
    },
  }
}

/** Waits until the ended run has released the message, which is stored a moment after the run's last event. */
async function settled(look: Following['look'], endedRun: string): Promise<MessageRecord | null> {
  for (let tries = 0; tries < SETTLE_TRIES; tries += 1) {
    const message = await look()
    if (message && !(message.state === 'delivering' && message.runId === endedRun)) return message
    await pause(SETTLE_PAUSE_MS)
  }
  return null
}

/** Yields null after each `ms` without an item. */
async function* withPauses<T>(items: AsyncIterable<T>, ms: number): AsyncGenerator<T | null> {
  const iterator = items[Symbol.asyncIterator]()
  for (;;) {
    const next = iterator.next()
    // The reader may stop during a pause; then nobody handles a rejection.
    next.catch(() => {})
    for (;;) {
      const result = await orPause(next, ms)
      if (result?.done) return
      yield result ? result.value : null
      if (result) break
    }
  }
}

function orPause<T>(work: Promise<T>, ms: number): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
