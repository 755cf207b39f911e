import type { MessageMode } from './message-record.ts'

/** A message the queue has accepted. */
export interface QueuedMessage {
  readonly id: string
  readonly text: string
  /** Who said it, for the agent to read; null = it need not be told. */
  readonly sender: string | null
  /** What the sender may do. Messages of different authority never share a turn. */
  readonly authority: string
  /** Where the answer goes. Messages with different targets never share a turn. */
  readonly target: string
  /** The mode in which it was accepted. */
  readonly mode: MessageMode
  /** Its place in the order of arrival. */
  readonly seq: number
}

/** What the queue hands to the agent at once, with one authority and one target. */
export interface QueueTurn {
  /** The first message's id, so that a delivery is recognised by it; a bare summary has an id of its own. */
  readonly id: string
  readonly messages: readonly QueuedMessage[]
  readonly overflow: QueueOverflow | null
  readonly authority: string
  readonly target: string
  readonly text: string
  /** How often it has failed. */
  readonly failures: number
}

/** What is left of messages that were dropped because too many waited. */
export interface QueueOverflow {
  readonly id: string
  readonly authority: string
  readonly target: string
  readonly count: number
  /** One for each of the newest that were dropped. */
  readonly lines: readonly string[]
}

export const OVERFLOW_LINE_CHARACTERS = 160

const COLLECT_TITLE = '[Queued messages while agent was busy]'

export function makeTurn(messages: readonly QueuedMessage[], overflow: QueueOverflow | null = null): QueueTurn {
  const first = messages[0] ?? overflow
  if (!first) throw new TypeError('a turn holds something')
  const { id, authority, target } = first
  const summary = overflow ? [overflowText(overflow)] : []
  const isCollected = messages.length > 0 && messages.every((message) => message.mode === 'collect')
  const parts = isCollected
    ? [COLLECT_TITLE, ...summary, ...messages.map(collectedItem)]
    : [...summary, ...messages.map((message) => message.text)]
  return { id, messages, overflow, authority, target, text: parts.join('\n\n'), failures: 0 }
}

/** `earlier` and one more dropped message; at most `maxLines` of the newest keep their line. */
export function withDropped(earlier: QueueOverflow | null, message: QueuedMessage, maxLines: number): QueueOverflow {
  return {
    id: earlier?.id ?? `overflow-${message.id}`,
    authority: message.authority,
    target: message.target,
    count: (earlier?.count ?? 0) + 1,
    lines: [...(earlier?.lines ?? []), oneLine(message.text)].slice(-maxLines),
  }
}

export function haveSameRoute(
  a: { readonly authority: string; readonly target: string },
  b: { readonly authority: string; readonly target: string },
): boolean {
  return a.authority === b.authority && a.target === b.target
}

function overflowText({ count, lines }: QueueOverflow): string {
  const dropped = `[Queue overflow] Dropped ${count} ${count === 1 ? 'message' : 'messages'} due to cap.`
  return [dropped, 'Summary:', ...lines.map((line) => `- ${line}`)].join('\n')
}

function collectedItem(message: QueuedMessage, at: number): string {
  const from = message.sender === null ? '' : ` (from ${oneLine(message.sender)})`
  return `---\nQueued #${at + 1}${from}\n${message.text}`.trim()
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= OVERFLOW_LINE_CHARACTERS) return line
  // Half of a surrogate pair at the cut would be an unreadable character.
  return `${line.slice(0, OVERFLOW_LINE_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
