import type { MessageMode } from './message-record.ts'
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings, RETRY_DELAYS_MS } from './queue-settings.ts'
import { countLeading, isSteeringBlocked, moveToSteering, parkedSteers, returnSteers } from './queue-steers.ts'
import {
  haveSameRoute,
  makeTurn,
  type QueuedMessage,
  type QueueOverflow,
  type QueueTurn,
  withDropped,
} from './queue-turn.ts'

/**
 * The messages of one conversation that its agent has not been given yet. A value: every function here takes one and
 * gives the next. What was accepted is in exactly one of `running`, `retries`, `steering`, `urgent` and `waiting`, until a
 * function has handed it out as delivered, dropped, failed or withdrawn.
 */
export interface MessageQueue {
  readonly settings: QueueSettings
  /** Handed out by `nextTurn` or a start, not yet delivered. */
  readonly running: QueueTurn | null
  /** Failed, and tried again at a time, the first one first. */
  readonly retries: readonly QueueRetry[]
  /** Offered to the active run, not yet delivered. */
  readonly steering: readonly QueuedMessage[]
  /** Goes before everything that waits: interrupts, and what a run handed back. By arrival. */
  readonly urgent: readonly QueuedMessage[]
  /** By arrival. */
  readonly waiting: readonly QueuedMessage[]
  /** What is left of dropped messages, one for each authority and target. */
  readonly overflow: readonly QueueOverflow[]
  /** Ids that were accepted a short while ago. */
  readonly recent: readonly { readonly id: string; readonly at: number }[]
  readonly lastQueuedAt: number
  readonly nextSeq: number
}

export interface QueueRetry {
  readonly turn: QueueTurn
  readonly at: number
}

export interface InboundMessage {
  /** Unique in the conversation: where several channels count their own messages, the channel is part of it. */
  readonly id: string
  readonly text: string
  readonly sender: string | null
  readonly authority: string
  readonly target: string
  /** Said with the message itself; without it the queue's own mode holds. */
  readonly mode?: MessageMode
  /** A heartbeat never waits; a reset never waits behind what it ends. */
  readonly kind?: 'message' | 'heartbeat' | 'reset'
}

/** Whether the agent works, and if so why it cannot be steered just now. */
export type RunState =
  | { readonly type: 'idle' }
  | { readonly type: 'running'; readonly steering: 'open' | 'not_streaming' | 'compacting' | 'runtime_rejected' }

export type AcceptResult = {
  readonly queue: MessageQueue
  /** Accepted earlier and let go now; whoever sent them is to be told. */
  readonly dropped: readonly QueuedMessage[]
} & (
  | { readonly verdict: 'start'; readonly turn: QueueTurn }
  /** To be offered to the run in this order, up to the first one it refuses. Those that waited for it come first. */
  | { readonly verdict: 'steer'; readonly messages: readonly QueuedMessage[] }
  | { readonly verdict: 'queued' }
  /** The run is to be aborted; the message is at the front. */
  | { readonly verdict: 'interrupt' }
  | { readonly verdict: 'refused'; readonly reason: 'duplicate' | 'queue_full' | 'busy' }
)

export type NextTurn = { readonly queue: MessageQueue } & (
  | { readonly type: 'turn'; readonly turn: QueueTurn }
  | { readonly type: 'wait'; readonly until: number }
  | { readonly type: 'nothing' }
)

/** How long a message's id is remembered, and how many. */
const RECENT_MS = 300_000
const RECENT_IDS = 10_000
/** How long an interrupt waits for the run to end before its sender is told that it has not. */
export const INTERRUPT_WAIT_MS = 15_000

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

/** Decides at once what becomes of a message. */
export function acceptMessage(given: MessageQueue, inbound: InboundMessage, run: RunState, now: number): AcceptResult {
  const refused = (reason: 'duplicate' | 'queue_full' | 'busy') =>
    ({ queue: given, dropped: [], verdict: 'refused', reason }) as const
  const recent = given.recent.filter(({ at }) => now - at < RECENT_MS)
  if ([...recent, ...heldMessages(given)].some(({ id }) => id === inbound.id)) return refused('duplicate')
  const works = run.type === 'running' || given.running !== null
  const isFree = !works && !holdsAnything(given)
  if (inbound.kind === 'heartbeat' && !isFree) return refused('busy')

  const { id, text, sender, authority, target } = inbound
  const mode = inbound.kind === 'reset' && works ? 'interrupt' : (inbound.mode ?? given.settings.mode)
  const message: QueuedMessage = { id, text, sender, authority, target, mode, seq: given.nextSeq }
  const queue: MessageQueue = {
    ...given,
    recent: [...recent, { id, at: now }].slice(-RECENT_IDS),
    nextSeq: given.nextSeq + 1,
  }
  if (isFree) {
    const turn = makeTurn([message])
    return { queue: { ...queue, running: turn }, dropped: [], verdict: 'start', turn }
  }
  if (mode === 'interrupt') {
    if (queue.urgent.length >= queue.settings.cap) return refused('queue_full')
    return {
      queue: { ...queue, urgent: [...queue.urgent, message] },
      dropped: [],
      verdict: works ? 'interrupt' : 'queued',
    }
  }
  const steered = mode === 'steer' && run.type === 'running' && run.steering === 'open' ? steer(queue, message) : null
  if (steered) return steered
  return enqueue(queue, message, now) ?? refused('queue_full')
}

/** What to run next, when no run is active. It is the queue's until `turnDelivered`, `turnFailed` or `turnReturned`. */
export function nextTurn(given: MessageQueue, now: number): NextTurn {
  if (given.running) return { queue: given, type: 'nothing' }
  const queue = returnSteers(given)
  const { settings, urgent, waiting, overflow } = queue
  const retry = queue.retries[0]
  if (retry && !urgent.some(({ mode }) => mode === 'interrupt')) {
    if (isAhead(retry.at, now, Math.max(...RETRY_DELAYS_MS))) return { queue, type: 'wait', until: retry.at }
    return give({ ...queue, retries: queue.retries.slice(1) }, retry.turn)
  }
  if (urgent.length > 0) {
    const count = countLeading(urgent, (message) => haveSameRoute(message, urgent[0]!))
    return give({ ...queue, urgent: urgent.slice(count) }, makeTurn(urgent.slice(0, count)))
  }
  const summary = overflow[0]
  const first = waiting[0]
  if (!first && !summary) return { queue, type: 'nothing' }
  const quietAt = queue.lastQueuedAt + settings.debounceMs
  // Messages that keep coming would put off the first one for ever, so a full queue waits for no quiet.
  if (waiting.length < settings.cap && isAhead(quietAt, now, settings.debounceMs))
    return { queue, type: 'wait', until: quietAt }
  const isCollecting = first?.mode === 'collect' && (!summary || haveSameRoute(first, summary))
  const rest = { ...queue, overflow: overflow.slice(1) }
  if (summary && !isCollecting) return give(rest, makeTurn([], summary))
  const count = isCollecting
    ? countLeading(waiting, (message) => message.mode === 'collect' && haveSameRoute(message, first))
    : 1
  return give({ ...rest, waiting: waiting.slice(count) }, makeTurn(waiting.slice(0, count), summary ?? null))
}

/** Everything accepted and not yet settled, in the order in which it is tried. */
export function heldMessages(queue: MessageQueue): readonly QueuedMessage[] {
  const retried = queue.retries.flatMap(({ turn }) => turn.messages)
  return [...(queue.running?.messages ?? []), ...queue.steering, ...retried, ...queue.urgent, ...queue.waiting]
}

function steer(queue: MessageQueue, message: QueuedMessage): AcceptResult | null {
  const parked = parkedSteers(queue)
  // What cannot go along would be overtaken, so this message waits behind it.
  if (isSteeringBlocked(queue) || !parked.every((earlier) => haveSameRoute(earlier, message))) return null
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
  const at = overflow.findIndex((group) => haveSameRoute(group, gone))
  const group = withDropped(overflow[at] ?? null, gone, maxLines)
  return at === -1 ? [...overflow, group] : overflow.with(at, group)
}

function give(queue: MessageQueue, turn: QueueTurn): NextTurn {
  return { queue: { ...queue, running: turn }, type: 'turn', turn }
}

function holdsAnything(queue: MessageQueue): boolean {
  return heldMessages(queue).length > 0 || queue.retries.length > 0 || queue.overflow.length > 0
}

/** Whether `at` is still to come. A clock that was set back must not make it come later than it was meant to. */
function isAhead(at: number, now: number, longest: number): boolean {
  return at > now && at - now <= longest
}
