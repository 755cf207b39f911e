import type { LiveEvent } from '@clawboo/api/live-event'
import type {
  ApprovalRequestEvent,
  CostEvent,
  LimitTripped,
  RunEntry,
  RunOutcome,
  RunReason,
  RunRecord,
} from '@clawboo/core/executor'
import type { AgentRecord, AgentRecordStatus } from '@clawboo/core/registry'
import type { Log } from '../../log.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import type { RunEnd } from '../../store/repositories/runs/runs-repository.ts'
import type { Attention } from '../attention/attention.ts'
import type { Limits } from '../limits/limits.ts'
import type { SpendBook } from './run-bounds.ts'

/** How a run ended, as its runtime or the host's limits decided. */
export interface RunEnding {
  readonly outcome: Exclude<RunOutcome, 'interrupted'>
  readonly reason: RunReason | null
  readonly detail: string | null
  readonly text: string
  /** Ids of prompts that the run accepted but the agent never received. */
  readonly undelivered: readonly string[]
  readonly limit: LimitTripped | null
  /** A retry would fail in the same way. */
  readonly isFinal: boolean
  readonly resume: string | null
}

/** Stores the events of a run. Every method resolves when the change is stored. */
export interface RunBook {
  readonly spend: SpendBook
  /** Never rejects. */
  keep(entries: readonly RunEntry[]): Promise<void>
  delivered(promptId: string): Promise<void>
  cost(cost: CostEvent): Promise<void>
  asked(question: ApprovalRequestEvent): Promise<void>
}

interface BookedRun {
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
        // The run can continue: the runtime has its own record.
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

/**
 * Ends a run's row in the caller's transaction: expires its open questions and updates the agent's status. `run` is
 * null when another server settled the run first; then nothing changes.
 */
export async function endRun(
  tx: Repositories,
  instance: string,
  runId: string,
  end: RunEnd,
): Promise<{ readonly run: RunRecord | null; readonly events: readonly LiveEvent[] }> {
  const run = await tx.runs.end(runId, instance, end)
  if (!run) return { run, events: [] }
  const expired = await tx.attention.expire({ runIds: [run.id] }, end.endedAt)
  const status = await setStatus(tx, run.agentId, end.outcome === 'failed' ? 'error' : 'idle', end.endedAt)
  return {
    run,
    events: [
      { type: 'run-ended', run },
      ...status,
      ...expired.map((item): LiveEvent => ({ type: 'attention-changed', item })),
    ],
  }
}

/** Sets an agent's status, unless the agent was deleted, is archived or already has that status. */
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

export function endedByLimit({ limit, outcome, reason }: RunEnding): boolean {
  return limit !== null || (outcome === 'stopped' && reason?.endsWith('_limit') === true)
}
