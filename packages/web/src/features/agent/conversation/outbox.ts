import { MESSAGE_MODES, type MessageMode } from '@clawboo/core/executor'

/** Something that was sent from here and that the server has not answered for yet. */
export interface OutboxItem {
  /** Made here: sent twice under the same id, it is said once. */
  readonly id: string
  readonly text: string
  /** null = the conversation's own. */
  readonly mode: MessageMode | null
  /** Why it is still here; null while it is under way. */
  readonly problem: string | null
}

const LEFT_BEHIND = 'Not known to have been sent: the page was closed before an answer came. Sending it again is safe.'

/** What another visit left behind. Whatever is not readable is no message. */
export function readOutbox(stored: string | null): readonly OutboxItem[] {
  if (stored === null) return []
  try {
    const items: unknown = JSON.parse(stored)
    if (!Array.isArray(items)) return []
    return items.flatMap((item: Partial<OutboxItem> | null) =>
      typeof item?.id === 'string' && typeof item.text === 'string'
        ? [{ id: item.id, text: item.text, mode: modeOf(item.mode), problem: LEFT_BEHIND }]
        : [],
    )
  } catch {
    return []
  }
}

export function outboxText(items: readonly OutboxItem[]): string | null {
  return items.length === 0 ? null : JSON.stringify(items.map(({ id, text, mode }) => ({ id, text, mode })))
}

/** Unlike `crypto.randomUUID` it also exists on a page that came without TLS. */
export function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `m-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function modeOf(mode: unknown): MessageMode | null {
  return MESSAGE_MODES.find((known) => known === mode) ?? null
}
