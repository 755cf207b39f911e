import { MESSAGE_MODES, type MessageMode } from '@clawboo/core/executor'
import { leftBehind, type SendPromise } from '../../../shared/composer/send-problem.ts'
import { parseStored } from '../../../ui/state/stored-text.ts'

/** A message sent from this browser that the server has not confirmed yet. */
export interface OutboxItem {
  /** Created here, so that a message sent twice is stored once. */
  readonly id: string
  readonly text: string
  /** null = the conversation's default. */
  readonly mode: MessageMode | null
  readonly writtenAt: number
  /** When the sending page last renewed this message. */
  readonly vouchedAt: number
  /** Why it was not sent; null while a page is sending it. */
  readonly problem: string | null
}

/** How often a page renews the messages it is sending. */
export const VOUCH_MS = 20_000
/** After this time no page is sending the message any more. The timers of a hidden page run only once a minute. */
export const VOUCHED_MS = 150_000

/** The server stores a message once per id, so a second delivery does no harm. */
export const SEND_PROMISE: SendPromise = {
  kept: 'Your message is stored here.',
  unconfirmed: 'Sending it again is safe.',
  whenFull: 'Try again when one is delivered.',
}

export const LEFT_BEHIND = leftBehind(SEND_PROMISE)

/** Each message has its own storage key, so that two pages never overwrite each other's messages. */
export function outboxPlace(agentId: string, messageId = ''): string {
  return `clawboo.outbox.${agentId}.${messageId}`
}

export function storedItem(item: OutboxItem): string {
  const { id: _id, ...rest } = item
  return JSON.stringify(rest)
}

/** Reads a stored message; null when it is unreadable. */
export function readItem(id: string, stored: string | null, now: number): OutboxItem | null {
  const { text, mode, problem, ...at } = parseStored(stored)
  if (typeof text !== 'string' || id === '') return null
  const vouchedAt = timeOf(at.vouchedAt)
  const storedProblem = typeof problem === 'string' ? problem : null
  return {
    id,
    text,
    mode: MESSAGE_MODES.find((known) => known === mode) ?? null,
    writtenAt: timeOf(at.writtenAt),
    vouchedAt,
    problem: storedProblem ?? (now - vouchedAt > VOUCHED_MS ? LEFT_BEHIND : null),
  }
}

/** The items in the order they were written, with this one updated or, for null, removed. */
export function withItem(items: readonly OutboxItem[], id: string, item: OutboxItem | null): readonly OutboxItem[] {
  const others = items.filter((known) => known.id !== id)
  if (item === null) return others.length === items.length ? items : others
  return [...others, item].sort((one, other) => one.writtenAt - other.writtenAt)
}

/** Unlike `crypto.randomUUID`, it also works on a page without TLS. */
export function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `m-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function timeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
