import type { LiveEvent } from '@clawboo/api'
import type { RefusedAgent, RuntimeId, SourceRecords, SyncResult } from '@clawboo/core/registry'
import { findAuthorIdProblem } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import { namedRefusals } from './agent-ids.ts'
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
  const written = await tx.agents.reconcile(sourceId, agents, {
    runtime: sourceId,
    newId,
    findIdProblem: findAuthorIdProblem,
    now: at,
  })
  const refused = written.refused.length > 0 ? { refused: namedRefusals(written.refused) } : {}
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
