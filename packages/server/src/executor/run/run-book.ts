import type { CostEvent } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/open-store.ts'
import type { RunOwner } from '../../store/runs-repository.ts'
import type { Attention } from '../attention/attention.ts'
import type { Limits } from '../limits/limits.ts'
import type { Turn, TurnBook, TurnEnd } from './run-plan.ts'

export interface TurnWorld {
  readonly store: Store
  readonly attention: Attention
  readonly limits: Limits
  readonly log: Log
  readonly owner: RunOwner
  readonly now: () => number
}

const APPROVAL_MS = 30 * 60_000

/** Writes down what happens in a turn, whatever brought it about. */
export function createTurnBook(
  { store, attention, limits, log, owner, now }: TurnWorld,
  { runId, agent }: Pick<Turn, 'runId' | 'agent'>,
  delivered: TurnBook['delivered'],
): TurnBook {
  return {
    delivered,
    spend: {
      add: (cost) => limits.addSpend(agent.id, agent.teamId, cost),
      today: () => limits.spentToday(agent.id, agent.teamId),
    },
    async keep(entries) {
      try {
        await store.runs.appendEntries(runId, entries)
      } catch (error) {
        // The run goes on: what it does is in the runtime's own record too.
        log.error('a part of a run was not kept', { runId, error })
      }
    },
    async cost({ type: _, ...cost }: CostEvent) {
      await store.runs.addCost(runId, owner.instance, cost)
    },
    async asked(question) {
      const { tool, action: command, cwd, reason, mayAlwaysAllow } = question
      await attention.open({
        kind: 'approval',
        agentId: agent.id,
        runId,
        subjectId: question.approvalId,
        title: `${agent.displayName} asks before it acts`,
        detail: reason,
        action: { tool, command, cwd, reason, mayAlwaysAllow },
        answers: mayAlwaysAllow ? ['allow-once', 'allow-always', 'deny'] : ['allow-once', 'deny'],
        expiresAt: now() + APPROVAL_MS,
      })
    },
    async answered() {},
  }
}

/** Tells a person when a limit ended a run. */
export async function reportLimit(
  attention: Attention,
  agent: AgentRecord,
  runId: string,
  end: TurnEnd,
): Promise<void> {
  if (!endedByLimit(end)) return
  await attention.open({
    kind: 'limit',
    agentId: agent.id,
    runId,
    subjectId: null,
    title: `${agent.displayName} was stopped by a limit`,
    detail: end.detail ?? end.reason ?? '',
    action: null,
    answers: ['dismiss'],
    expiresAt: null,
  })
}

export function endedByLimit({ limit, outcome, reason }: TurnEnd): boolean {
  return limit !== null || (outcome === 'stopped' && reason?.endsWith('_limit') === true)
}
