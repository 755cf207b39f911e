import type { MessageMode } from '../message-record.ts'
import {
  haveSameSender,
  type MessageBatch,
  type MessageQueue,
  makeBatch,
  type QueuedMessage,
  type QueueOverflow,
  withDropped,
} from './message-batch.ts'
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings, RETRY_DELAYS_MS } from './queue-settings.ts'
import { countLeading, isSteeringBlocked, moveToSteering, parkedSteers, returnSteers } from './queue-steers.ts'

export interface InboundMessage {
  /** Unique within the conversation. */
  readonly id: string
  readonly text: string
  readonly sender: string
  /** Chosen with the message; otherwise the queue's own mode applies. */
  readonly mode?: MessageMode
}

/** Whether the agent is running and, if so, whether it can be steered. */
export type RunState =
  | { readonly type: 'idle' }
  | { readonly type: 'running'; readonly steering: 'open' | 'not_streaming' | 'compacting' | 'runtime_rejected' }

export type AcceptResult = {
  readonly queue: MessageQueue
  /** Messages that were accepted earlier and are dropped now. The caller notifies their senders. */
  readonly dropped: readonly QueuedMessage[]
} & (
  | { readonly verdict: 'start'; readonly batch: MessageBatch }
  /** Offer these to the run in this order and stop at the first refusal. Messages that were waiting come first. */
  | { readonly verdict: 'steer'; readonly messages: readonly QueuedMessage[] }
  | { readonly verdict: 'queued' }
  /** Abort the run; the message is now at the front of the queue. */
  | { readonly verdict: 'interrupt' }
  | { readonly verdict: 'refused'; readonly reason: 'duplicate' | 'queue_full' }
)

export type NextBatch = { readonly queue: MessageQueue } & (
  | { readonly type: 'batch'; readonly batch: MessageBatch }
  | { readonly type: 'wait'; readonly until: number }
  | { readonly type: 'nothing' }
)

/** How long message ids are remembered, and how many of them. */
const RECENT_MS = 300_000
const RECENT_IDS = 10_000

export function createMessageQueue(settings: QueueSettings = DEFAULT_QUEUE_SETTINGS): MessageQueue {
  return {
    settings,
    running: null,
    retries: [],
    steering: [],
    urgent: [],
    waiting: [],
    overflow: [],
    recent: [],
    lastQueuedAt: 0,
    nextSeq: 1,
  }
}

/** Decides immediately what happens to a message. */
export function acceptMessage(before: MessageQueue, inbound: InboundMessage, run: RunState, now: number): AcceptResult {
  const refused = (reason: 'duplicate' | 'queue_full') =>
    ({ queue: before, dropped: [], verdict: 'refused', reason }) as const
  const recent = before.recent.filter(({ at }) => now - at < RECENT_MS)
  if ([...recent, ...heldMessages(before)].some(({ id }) => id === inbound.id)) return refused('duplicate')
  const isBusy = run.type === 'running' || before.running !== null
  const isFree = !isBusy && !holdsAnything(before)

  const { id, text, sender } = inbound
  const mode = inbound.mode ?? before.settings.mode
  const message: QueuedMessage = { id, text, sender, mode, seq: before.nextSeq }
  const queue: MessageQueue = {
    ...before,
    recent: [...recent, { id, at: now }].slice(-RECENT_IDS),
    nextSeq: before.nextSeq + 1,
  }
  if (isFree) {
    const batch = makeBatch([message])
    return { queue: { ...queue, running: batch }, dropped: [], verdict: 'start', batch }
  }
  if (mode === 'interrupt') {
    if (queue.urgent.length >= queue.settings.cap) return refused('queue_full')
    return {
      queue: { ...queue, urgent: [...queue.urgent, message] },
      dropped: [],
      verdict: isBusy ? 'interrupt' : 'queued',
    }
  }
  const steered = mode === 'steer' && run.type === 'running' && run.steering === 'open' ? steer(queue, message) : null
  if (steered) return steered
  return enqueue(queue, message, now) ?? refused('queue_full')
}

/**
 * The next batch to run when no run is active. The queue keeps the batch until `batchDelivered`, `batchFailed` or
 * `batchReturned` settles it.
 */
export function nextBatch(before: MessageQueue, now: number): NextBatch {
  if (before.running) return { queue: before, type: 'nothing' }
  const queue = returnSteers(before)
  const { settings, urgent, waiting, overflow } = queue
  const retry = queue.retries[0]
  if (retry && !urgent.some(({ mode }) => mode === 'interrupt')) {
    if (isAhead(retry.at, now, Math.max(...RETRY_DELAYS_MS))) return { queue, type: 'wait', until: retry.at }
    return give({ ...queue, retries: queue.retries.slice(1) }, retry.batch)
  }
  if (urgent.length > 0) {
    const count = countLeading(urgent, (message) => haveSameSender(message, urgent[0]!))
    return give({ ...queue, urgent: urgent.slice(count) }, makeBatch(urgent.slice(0, count)))
  }
  const summary = overflow[0]
  const first = waiting[0]
  if (!first && !summary) return { queue, type: 'nothing' }
  const quietAt = queue.lastQueuedAt + settings.debounceMs
  // A full queue does not wait for quiet: a steady stream of messages would delay the first one forever.
  if (waiting.length < settings.cap && isAhead(quietAt, now, settings.debounceMs))
    return { queue, type: 'wait', until: quietAt }
  const isCollecting = first?.mode === 'collect' && (!summary || haveSameSender(first, summary))
  const rest = { ...queue, overflow: overflow.slice(1) }
  if (summary && !isCollecting) return give(rest, makeBatch([], summary))
  const count = isCollecting
    ? countLeading(waiting, (message) => message.mode === 'collect' && haveSameSender(message, first))
    : 1
  return give({ ...rest, waiting: waiting.slice(count) }, makeBatch(waiting.slice(0, count), summary ?? null))
}

/** Every accepted message that is not settled yet, in the order of delivery. */
export function heldMessages(queue: MessageQueue): readonly QueuedMessage[] {
  const retried = queue.retries.flatMap(({ batch }) => batch.messages)
  return [...(queue.running?.messages ?? []), ...queue.steering, ...retried, ...queue.urgent, ...queue.waiting]
}

function steer(queue: MessageQueue, message: QueuedMessage): AcceptResult | null {
  const parked = parkedSteers(queue)
  // Steering now would overtake a parked message of another sender, so this message waits.
  if (isSteeringBlocked(queue) || !parked.every((earlier) => haveSameSender(earlier, message))) return null
  const messages = [...parked, message]
  return { queue: moveToSteering(queue, messages), dropped: [], verdict: 'steer', messages }
}

function enqueue(queue: MessageQueue, message: QueuedMessage, now: number): AcceptResult | null {
  const { cap, drop } = queue.settings
  const excess = Math.max(0, queue.waiting.length - cap + 1)
  if (excess > 0 && drop === 'new') return null
  const dropped = queue.waiting.slice(0, excess)
  const overflow =
    drop === 'summarize' ? dropped.reduce((left, gone) => summarized(left, gone, cap), queue.overflow) : queue.overflow
  const waiting = [...queue.waiting.slice(excess), message]
  return { queue: { ...queue, waiting, overflow, lastQueuedAt: now }, dropped, verdict: 'queued' }
}

function summarized(
  overflow: readonly QueueOverflow[],
  gone: QueuedMessage,
  maxLines: number,
): readonly QueueOverflow[] {
  const at = overflow.findIndex((group) => haveSameSender(group, gone))
  const group = withDropped(overflow[at] ?? null, gone, maxLines)
  return at === -1 ? [...overflow, group] : overflow.with(at, group)
}

function give(queue: MessageQueue, batch: MessageBatch): NextBatch {
  return { queue: { ...queue, running: batch }, type: 'batch', batch }
}

function holdsAnything(queue: MessageQueue): boolean {
  return heldMessages(queue).length > 0 || queue.retries.length > 0 || queue.overflow.length > 0
}

/** Whether `at` is in the future. A clock that was set back must not delay a message beyond the intended time. */
function isAhead(at: number, now: number, longest: number): boolean {
  return at > now && at - now <= longest
}
