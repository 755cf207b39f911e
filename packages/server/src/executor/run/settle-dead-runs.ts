import type { LiveEvent } from '@clawboo/api'
import type { RunRecord } from '@clawboo/core/executor'
import type { RecordChange } from '../../registry/record-change.ts'

/**
 * For a server that starts: its own earlier runs, and those of servers whose lease is over, have nobody behind them any
 * more. They end as interrupted, what they asked of a person expires, and their agents are idle. An agent that is shown
 * as running without any run is unknown since it was last seen. Resolves to the runs that were ended.
 */
export function settleDeadRuns(
  record: RecordChange,
  instance: string,
  now: () => number = Date.now,
): Promise<RunRecord[]> {
  return record({ action: 'run.settle', subject: 'server', actor: 'server' }, async (tx) => {
    const at = now()
    const runs = await tx.runs.settleDead(instance, at)
    const expired = await tx.attention.expire({ runIds: runs.map(({ id }) => id) }, at)
    const idle = await tx.agents.markIdle([...new Set(runs.map(({ agentId }) => agentId))], at)
    const unknown = await tx.agents.markRunningAsUnknown()
    const events: LiveEvent[] = [
      ...runs.map((run): LiveEvent => ({ type: 'run-ended', run })),
      ...expired.map((item): LiveEvent => ({ type: 'attention-changed', item })),
      ...idle.map((agentId): LiveEvent => ({ type: 'agent-status', agentId, status: 'idle', statusAt: at })),
      ...unknown.map(
        ({ id, statusAt }): LiveEvent => ({ type: 'agent-status', agentId: id, status: 'unknown', statusAt }),
      ),
    ]
    return { result: runs, events, detail: { runs: runs.length, unknown: unknown.length } }
  })
}
