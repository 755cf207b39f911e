import type { MessageRecord } from '@clawboo/core/executor'
import type { RecordChange } from '../../registry/record-change.ts'
import type { MessagePatch, NewMessage, StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import { messageChanged } from './messages.ts'

/** Stores what happens to messages. Each change and its events are one transaction. */
export interface MessageBook {
  /** A known id changes nothing. */
  accept(message: NewMessage): Promise<{ readonly message: StoredMessage; readonly inserted: boolean }>
  change(ids: readonly string[], from: readonly MessageRecord['state'][], patch: MessagePatch): Promise<StoredMessage[]>
  delivered(messageIds: readonly string[]): Promise<void>
}

export function createMessageBook(record: RecordChange, now: () => number): MessageBook {
  const change: MessageBook['change'] = (ids, from, patch) =>
    ids.length === 0
      ? Promise.resolve([])
      : record({ action: null }, async (tx) => {
          const messages = await tx.messages.update(ids, from, patch)
          return { result: messages, events: messages.map(messageChanged) }
        })
  return {
    change,
    accept: (message) =>
      record({ action: 'message.send', subject: message.agentId }, async (tx) => {
        const accepted = await tx.messages.insert(message)
        return {
          result: accepted,
          events: accepted.inserted ? [messageChanged(accepted.message)] : [],
          detail: { messageId: message.id, mode: message.mode },
        }
      }),
    async delivered(messageIds) {
      await change(messageIds, ['queued', 'delivering'], { state: 'delivered', settledAt: now() })
    },
  }
}
