import type { AcceptResult, MessageVerdict } from '@clawboo/core/executor'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'

/** The message as the queue takes it. */
export function inboundOf({ id, text, sender, mode }: Omit<StoredMessage, 'position'>) {
  return { id, text, sender, mode }
}

export function verdictOf(verdict: AcceptResult['verdict']): MessageVerdict {
  const words = { start: 'started', steer: 'steered', queued: 'queued', interrupt: 'interrupting' } as const
  if (verdict === 'refused') throw new TypeError('a refused message has no verdict')
  return words[verdict]
}
