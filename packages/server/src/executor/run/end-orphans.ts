import type { RunRecord, RuntimeRegistry } from '@clawboo/core/executor'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/open-store.ts'

/**
 * For a server that starts: runs that were told as interrupted may go on in a runtime that outlives its host, where nobody
 * sees them. Does not wait for their end.
 */
export async function endOrphans(
  parts: { readonly store: Store; readonly runtimes: RuntimeRegistry; readonly log: Log },
  interrupted: readonly RunRecord[],
): Promise<void> {
  const { store, runtimes, log } = parts
  for (const { agentId, sessionKey, runtime } of interrupted) {
    const found = runtimes.find(runtime)
    if (!found?.descriptor.claims.outlivesHost) continue
    const agent = await store.agents.get(agentId)
    // Another server on the same database may be at work in the conversation by now.
    const [live] = await store.runs.list({ agentId, sessionKey, state: 'running', limit: 1 })
    if (!agent || live) continue
    found
      .load()
      .then((adapter) => adapter.endOrphan?.(agent, sessionKey))
      .catch((error: unknown) => log.warn('a run that its server died with was not ended', { agentId, error }))
  }
}
