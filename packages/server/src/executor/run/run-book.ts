import type { ApprovalRequestEvent, CostEvent, RunEntry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/open-store.ts'
import type { Attention } from '../attention/attention.ts'
import type { Limits } from '../limits/limits.ts'
import type { SpendBook } from './live-run-guard.ts'
import { endedByLimit, type RunEnding } from './run-plan.ts'

/** Stores the events of a run. Every method resolves when the change is stored. */
export interface RunBook {
  readonly spend: SpendBook
  /** Never rejects. */
  keep(entries: readonly RunEntry[]): Promise<void>
  delivered(promptId: string): Promise<void>
  cost(cost: CostEvent): Promise<void>
  asked(question: ApprovalRequestEvent): Promise<void>
}

export interface BookedRun {
  readonly runId: string
  readonly agent: AgentRecord
  /** The team that pays for the run. */
  readonly teamId: string | null
}

const APPROVAL_MS = 30 * 60_000

export function createRunBook(
  services: {
    readonly store: Store
    readonly attention: Attention
    readonly limits: Limits
    readonly log: Log
    readonly instance: string
    readonly now: () => number
  },
  { runId, agent, teamId }: BookedRun,
  delivered: RunBook['delivered'],
): RunBook {
  const { store, attention, limits, log, instance, now } = services
  return {
    delivered,
    spend: {
      add: (cost) => limits.addSpend(agent.id, teamId, cost),
      today: () => limits.spentToday(agent.id, teamId),
    },
    async keep(entries) {
      try {
        await store.runs.appendEntries(runId, entries)
      } catch (error) {
        // The run continues: the runtime keeps a record of its own.
        log.error('part of a run was not stored', { runId, error })
      }
    },
    async cost({ type: _, ...cost }) {
      await store.runs.addCost(runId, instance, cost)
    },
    async asked({ approvalId, tool, action: command, cwd, reason, mayAlwaysAllow }) {
      await attention.open({
        kind: 'approval',
        agentId: agent.id,
        runId,
        subjectId: approvalId,
        title: `${agent.displayName} asks before it acts`,
        detail: reason,
        action: { tool, command, cwd, reason, mayAlwaysAllow },
        answers: mayAlwaysAllow ? ['allow-once', 'allow-always', 'deny'] : ['allow-once', 'deny'],
        expiresAt: now() + APPROVAL_MS,
      })
    },
  }
}

/** Adds an item to Needs you when a limit ended the run. */
export async function reportLimit(attention: Attention, { runId, agent }: BookedRun, end: RunEnding): Promise<void> {
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
