import { type LiveEvent, MESSAGE_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import type { MessageRecord, MessageState } from '@clawboo/core/executor'
import type { Store } from '../../store/open-store.ts'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import { storableText } from '../../store/storable-text.ts'

/** What was said to agents, for whoever reads. */
export interface Messages {
  /** The newest `limit`, in order of arrival. Throws `agent_not_found`. */
  list(
    agentId: string,
    filter: { readonly sessionKey?: string; readonly state?: MessageState; readonly limit: number },
  ): Promise<MessageRecord[]>
}

export function createMessages(store: Store): Messages {
  return {
    async list(agentId, filter) {
      if (!(await store.agents.get(agentId)))
        throw new ClawbooError('agent_not_found', `there is no agent "${agentId}"`, { details: { agentId } })
      return (await store.messages.list(agentId, filter)).map(messageRecord)
    },
  }
}

/** Without what only its delivery needs. */
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
