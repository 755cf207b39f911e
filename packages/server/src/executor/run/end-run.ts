import type { LiveEvent } from '@clawboo/api/live-event'
import type { RunRecord } from '@clawboo/core/executor'
import type { AgentRecordStatus } from '@clawboo/core/registry'
import type { Repositories } from '../../store/open-store.ts'
import type { RunEnd } from '../../store/repositories/runs/runs-repository.ts'

/**
 * Ends a run's row in the caller's transaction: open questions expire and the agent's status follows. `run` is null when
 * another server settled the run first; then nothing is changed.
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

/** Sets an agent's status, unless the agent is gone, archived or already shows that status. */
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
