import { type LiveEvent, MESSAGE_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import type { MessageRecord, MessageState } from '@clawboo/core/executor'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { MessagePatch, NewMessage, StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import { storableText } from '../../store/storable-text.ts'
import { wantAgent } from '../runtimes/find-runner.ts'

/** The newest `limit`, in order of arrival. Throws `agent_not_found`. */
export async function listMessages(
  store: Store,
  agentId: string,
  filter: { readonly sessionKey?: string; readonly state?: MessageState; readonly limit: number },
): Promise<MessageRecord[]> {
  await wantAgent(store, agentId)
  return (await store.messages.list(agentId, filter)).map(messageRecord)
}

/** Stores the changes of messages, each with its events in one transaction. */
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

/** The message without the fields that only its delivery needs. */
export function messageRecord(stored: StoredMessage): MessageRecord {
  const { position: _position, verdict: _verdict, promptId: _promptId, notBefore: _notBefore, ...record } = stored
  return record
}

export function messageChanged(stored: StoredMessage): LiveEvent {
  const message = messageRecord(stored)
  return {
    type: 'message-changed',
    message: { ...message, text: storableText(message.text, MESSAGE_EVENT_CHARACTERS) },
  }
}
