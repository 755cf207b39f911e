import { MESSAGE_MODES, type MessageMode } from '@clawboo/core/executor'
import { leftBehind, type SendPromise } from '../../../shared/composer/send-problem.ts'

/** Something that was sent from this browser and that the server has not answered for yet. */
export interface OutboxItem {
  /** Made here: sent twice under the same id, it is said once. */
  readonly id: string
  readonly text: string
  /** null = the conversation's own. */
  readonly mode: MessageMode | null
  readonly writtenAt: number
  /** When the page that sends it last vouched for it. */
  readonly vouchedAt: number
  /** Why it is still here; null while a page has it under way. */
  readonly problem: string | null
}

/** A page vouches this often for what it has under way. */
export const VOUCH_MS = 20_000
/** Nobody has it under way any more. A hidden page's timers come only once a minute. */
export const VOUCHED_MS = 150_000

/** The server stores a message once per id, so a second delivery does no harm. */
export const SEND_PROMISE: SendPromise = {
  kept: 'Your message is stored here.',
  unconfirmed: 'Sending it again is safe.',
  whenFull: 'Try again when one is delivered.',
}

export const LEFT_BEHIND = leftBehind(SEND_PROMISE)

/** Each message has its own place in the storage, so that two pages never write over each other. */
export function outboxPlace(agentId: string, messageId = ''): string {
  return `clawboo.outbox.${agentId}.${messageId}`
}

export function storedItem(item: OutboxItem): string {
  const { id: _id, ...rest } = item
  return JSON.stringify(rest)
}

/** Reads a stored message; null when it is unreadable. */
export function readItem(id: string, stored: string | null, now: number): OutboxItem | null {
  const { text, mode, problem, ...at } = parsed(stored)
  if (typeof text !== 'string' || id === '') return null
  const vouchedAt = timeOf(at.vouchedAt)
  const said = typeof problem === 'string' ? problem : null
  return {
    id,
    text,
    mode: MESSAGE_MODES.find((known) => known === mode) ?? null,
    writtenAt: timeOf(at.writtenAt),
    vouchedAt,
    problem: said ?? (now - vouchedAt > VOUCHED_MS ? LEFT_BEHIND : null),
  }
}

/** In the order they were written, with this one in its newest state, or without it. */
export function withItem(items: readonly OutboxItem[], id: string, item: OutboxItem | null): readonly OutboxItem[] {
  const others = items.filter((known) => known.id !== id)
  if (item === null) return others.length === items.length ? items : others
  return [...others, item].sort((one, other) => one.writtenAt - other.writtenAt)
}

/** Unlike `crypto.randomUUID` it also exists on a page that came without TLS. */
export function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `m-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function parsed(stored: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? 'null')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function timeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
