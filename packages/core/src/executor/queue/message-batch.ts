import type { MessageMode } from '../message-record.ts'
import type { QueueSettings } from './queue-settings.ts'

/** A message that the queue has accepted. */
export interface QueuedMessage {
  readonly id: string
  readonly text: string
  /** Messages from different senders never share a batch: each sender has permissions of its own. */
  readonly sender: string
  /** The mode in which the queue accepted the message. */
  readonly mode: MessageMode
  /** Its place in the order of arrival. */
  readonly seq: number
}

/** The messages that the queue hands to one run: one prompt from one sender. */
export interface MessageBatch {
  /** The id of the first message, which identifies the delivery. A summary without messages has its own id. */
  readonly id: string
  readonly messages: readonly QueuedMessage[]
  readonly overflow: QueueOverflow | null
  readonly sender: string
  readonly text: string
  /** How often a run failed before it took the batch. */
  readonly failures: number
}

/** A summary of messages that were dropped because too many were waiting. */
export interface QueueOverflow {
  readonly id: string
  readonly sender: string
  readonly count: number
  /** One line for each of the newest dropped messages. */
  readonly lines: readonly string[]
}

/**
 * The messages of one conversation that have not reached the agent. A value: every function takes a queue and
 * returns the next one. An accepted message is in exactly one of `running`, `retries`, `steering`, `urgent` and
 * `waiting` until a function reports it as delivered, dropped, failed or withdrawn.
 */
export interface MessageQueue {
  readonly settings: QueueSettings
  /** The batch that a run is about to deliver. */
  readonly running: MessageBatch | null
  /** Failed batches and when each is retried, earliest first. */
  readonly retries: readonly QueueRetry[]
  /** Offered to the active run and not delivered yet. */
  readonly steering: readonly QueuedMessage[]
  /** Delivered before everything in `waiting`: interrupts and messages that a run returned. In order of arrival. */
  readonly urgent: readonly QueuedMessage[]
  /** In order of arrival. */
  readonly waiting: readonly QueuedMessage[]
  /** Summaries of dropped messages, one per sender. */
  readonly overflow: readonly QueueOverflow[]
  /** Ids that were accepted recently. */
  readonly recent: readonly { readonly id: string; readonly at: number }[]
  readonly lastQueuedAt: number
  readonly nextSeq: number
}

export interface QueueRetry {
  readonly batch: MessageBatch
  readonly at: number
}

const OVERFLOW_LINE_CHARACTERS = 160

const COLLECT_TITLE = '[Queued messages while agent was busy]'

export function makeBatch(messages: readonly QueuedMessage[], overflow: QueueOverflow | null = null): MessageBatch {
  const first = messages[0] ?? overflow
  if (!first) throw new TypeError('a batch needs a message or a summary')
  const { id, sender } = first
  const summary = overflow ? [overflowText(overflow)] : []
  const isCollected = messages.length > 0 && messages.every((message) => message.mode === 'collect')
  const sections = isCollected
    ? [COLLECT_TITLE, ...summary, ...messages.map(collectedItem)]
    : [...summary, ...messages.map((message) => message.text)]
  return { id, messages, overflow, sender, text: sections.join('\n\n'), failures: 0 }
}

/** Adds one dropped message to a summary. At most `maxLines` of the newest messages keep a line. */
export function withDropped(earlier: QueueOverflow | null, message: QueuedMessage, maxLines: number): QueueOverflow {
  return {
    id: earlier?.id ?? `overflow-${message.id}`,
    sender: message.sender,
    count: (earlier?.count ?? 0) + 1,
    lines: [...(earlier?.lines ?? []), oneLine(message.text)].slice(-maxLines),
  }
}

export function haveSameSender(a: { readonly sender: string }, b: { readonly sender: string }): boolean {
  return a.sender === b.sender
}

function overflowText({ count, lines }: QueueOverflow): string {
  const dropped = `[Queue overflow] Dropped ${count} ${count === 1 ? 'message' : 'messages'} due to cap.`
  return [dropped, 'Summary:', ...lines.map((line) => `- ${line}`)].join('\n')
}

function collectedItem(message: QueuedMessage, at: number): string {
  return `---\nQueued #${at + 1}\n${message.text}`.trim()
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= OVERFLOW_LINE_CHARACTERS) return line
  // Half a surrogate pair at the cut would be unreadable.
  return `${line.slice(0, OVERFLOW_LINE_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
