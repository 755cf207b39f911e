import type { AcceptResult, MessageVerdict } from '@clawboo/core/executor'
import type { StoredMessage } from '../../store/messages-repository.ts'

/** One person speaks in a conversation, so every message has the same authority and the same target. */
export function inboundOf({ id, text, sender, mode, sessionKey }: Omit<StoredMessage, 'position'>) {
  return { id, text, sender: null, authority: sender, target: sessionKey, mode }
}

export function verdictOf(verdict: AcceptResult['verdict']): MessageVerdict {
  const words = { start: 'started', steer: 'steered', queued: 'queued', interrupt: 'interrupting' } as const
  if (verdict === 'refused') throw new TypeError('a refused message has no verdict')
  return words[verdict]
}
