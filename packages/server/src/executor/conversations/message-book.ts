import type { LiveEvent } from '@clawboo/api'
import type { MessageRecord, RunRecord } from '@clawboo/core/executor'
import type { AgentRecordStatus } from '@clawboo/core/registry'
import type { RecordChange } from '../../registry/record-change.ts'
import type { MessagePatch, NewMessage, StoredMessage } from '../../store/messages-repository.ts'
import type { Repositories } from '../../store/open-store.ts'
import type { NewRun } from '../../store/runs-repository.ts'
import type { TurnEnd } from '../run/run-plan.ts'
import { messageChanged } from './messages.ts'

/** Everything a conversation writes down. Each change is one transaction with its events. */
export interface ConversationBook {
  /** A known id changes nothing. */
  accept(message: NewMessage): Promise<{ readonly message: StoredMessage; readonly inserted: boolean }>
  change(ids: readonly string[], from: readonly MessageRecord['state'][], patch: MessagePatch): Promise<StoredMessage[]>
  startRun(run: NewRun, messageIds: readonly string[], promptId: string, attempt: number): Promise<RunRecord>
  /** null when the run was settled by somebody else meanwhile. */
  endRun(run: RunRecord, end: TurnEnd, returned: readonly string[]): Promise<RunRecord | null>
  delivered(messageIds: readonly string[]): Promise<void>
}

export function createConversationBook(options: {
  readonly record: RecordChange
  readonly instance: string
  readonly now: () => number
}): ConversationBook {
  const { record, instance, now } = options
  const change: ConversationBook['change'] = (ids, from, patch) =>
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
    startRun: (run, messageIds, promptId, attempt) =>
      record({ action: null }, async (tx) => {
        const started = await tx.runs.insert(run)
        const patch = { state: 'delivering', runId: run.id, promptId, attempts: attempt } as const
        const messages = await tx.messages.update(messageIds, ['queued'], patch)
        const status = await setStatus(tx, run.agentId, 'running', now())
        return {
          result: started,
          events: [{ type: 'run-started', run: started }, ...status, ...messages.map(messageChanged)],
        }
      }),
    endRun: (run, end, returned) =>
      record({ action: null }, async (tx) => {
        const at = now()
        const ended = await tx.runs.end(run.id, instance, { ...end, endedAt: at })
        if (!ended) return { result: null, events: [] }
        const messages = await tx.messages.update(returned, ['delivering'], {
          state: 'queued',
          runId: null,
          promptId: null,
        })
        const expired = await tx.attention.expire({ runIds: [run.id] }, at)
        const status = await setStatus(tx, run.agentId, end.outcome === 'failed' ? 'error' : 'idle', at)
        return {
          result: ended,
          events: [
            { type: 'run-ended', run: ended },
            ...status,
            ...messages.map(messageChanged),
            ...expired.map((item): LiveEvent => ({ type: 'attention-changed', item })),
          ],
        }
      }),
    async delivered(messageIds) {
      await change(messageIds, ['queued', 'delivering'], { state: 'delivered', settledAt: now() })
    },
  }
}

/** Shows what an agent does now; nothing for one that is gone or is shown so already. */
export async function setStatus(
  tx: Repositories,
  agentId: string,
  status: AgentRecordStatus,
  statusAt: number,
): Promise<LiveEvent[]> {
  const agent = await tx.agents.get(agentId)
  if (!agent || agent.archivedAt !== null || agent.status === status) return []
  await tx.agents.setStatus(agentId, status, statusAt)
  return [{ type: 'agent-status', agentId, status, statusAt }]
}
