import type { LiveEvent } from '@clawboo/api'
import type { RunRecord, RuntimeRegistry } from '@clawboo/core/executor'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'

/**
 * Ends the runs of this server's earlier process, and those of servers whose lease has expired, as interrupted. Expires
 * their open items and sets their agents to idle. An agent with the status running and no run becomes unknown. Resolves
 * to the ended runs. Call this at the start of the server.
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

/**
 * Aborts the interrupted runs that may continue, unseen, in a runtime that outlives its host. Does not wait for their
 * end. Call this at the start of the server.
 */
export async function endOrphans(
  services: { readonly store: Store; readonly runtimes: RuntimeRegistry; readonly log: Log },
  interrupted: readonly RunRecord[],
): Promise<void> {
  const { store, runtimes, log } = services
  for (const { agentId, sessionKey, runtime } of interrupted) {
    const found = runtimes.find(runtime)
    if (!found?.descriptor.claims.outlivesHost) continue
    const agent = await store.agents.get(agentId)
    // Another server on the same database may already run this conversation.
    const [live] = await store.runs.list({ agentId, sessionKey, state: 'running', limit: 1 })
    if (!agent || live) continue
    found
      .load()
      .then((adapter) => adapter.endOrphan?.(agent, sessionKey))
      .catch((error: unknown) => log.warn('an orphaned run was not ended', { agentId, error }))
  }
}
