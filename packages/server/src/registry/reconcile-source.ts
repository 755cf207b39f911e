import type { LiveEvent } from '@clawboo/api'
import type { RefusedAgent, RuntimeId, SourceRecords, SyncResult, UpstreamAgent } from '@clawboo/core/registry'
import type { Repositories } from '../store/open-store.ts'
import { sortOutAgents } from './agent-ids.ts'
import type { Change } from './record-change.ts'

export interface SyncMark {
  readonly at: number
  readonly mainKey: string | null
  /** Absent when no agent was refused. */
  readonly refused?: readonly RefusedAgent[]
}

type UpstreamList = Parameters<SourceRecords['reconcile']>[0]

/** The maximum age of the stored sync time of an unchanged upstream; a repeated sync within this time writes no row. */
const SYNC_TIME_GRAIN_MS = 60_000
const EVERYBODY = { includeArchived: true } as const

/** Returns the settings key for the facts about a source's list. */
export function syncMarkKey(sourceId: RuntimeId): string {
  return `source:${sourceId}:sync`
}

/** Writes the differences between an upstream's list and the registry. Runs in the transaction of the change. */
export async function reconcileSource(
  tx: Repositories,
  sourceId: RuntimeId,
  { agents, mainKey, newId }: UpstreamList,
  at: number,
): Promise<Change<SyncResult>> {
  const sorted = await separateRefused(tx, sourceId, agents, newId)
  const written = await tx.agents.reconcile(sourceId, sorted.agents, {
    runtime: sourceId,
    newId: sorted.newId,
    now: at,
  })
  const refused = sorted.refused.length > 0 ? { refused: sorted.refused } : {}
  const result = { ...written.result, ...refused }
  const changes: LiveEvent[] = [
    ...written.upserted.map((agent): LiveEvent => ({ type: 'agent-upserted', agent })),
    ...written.archivedIds.map((agentId): LiveEvent => ({ type: 'agent-archived', agentId })),
  ]
  const mark = await tx.settings.get<SyncMark>(syncMarkKey(sourceId))
  const refusalsDiffer = JSON.stringify(mark?.refused) !== JSON.stringify(refused.refused)
  const differs = changes.length > 0 || mark?.mainKey !== mainKey || refusalsDiffer
  if (differs || at - mark.at > SYNC_TIME_GRAIN_MS)
    await tx.settings.set(syncMarkKey(sourceId), { at, mainKey, ...refused })
  return {
    result,
    events: differs ? [...changes, { type: 'sync-complete', sourceId, result }] : [],
    detail: result,
  }
}

async function separateRefused(
  tx: Repositories,
  sourceId: RuntimeId,
  agents: readonly UpstreamAgent[],
  newId: (id: string) => string,
) {
  const asNew = sortOutAgents(agents, newId, () => false)
  if (asNew.refused.length === 0) return asNew
  // An existing agent keeps its id.
  const known = new Set((await tx.agents.list(sourceId, EVERYBODY)).map((agent) => agent.sourceAgentId))
  return sortOutAgents(agents, newId, (sourceAgentId) => known.has(sourceAgentId))
}
