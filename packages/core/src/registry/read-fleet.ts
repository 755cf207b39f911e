import type { AgentRecord } from './agent-record.ts'
import type { AgentRegistry } from './agent-registry.ts'
import type { AgentSource } from './agent-source.ts'
import type { RuntimeId } from './runtime-id.ts'
import type { ConnectionState } from './upstream/health.ts'

/** The state of one source when it was read. */
export interface SourceStatus {
  readonly sourceId: RuntimeId
  readonly state: ConnectionState
  readonly lastSyncAt: number | null
  /** Whether its agents are shown as last seen at `lastSyncAt`. */
  readonly stale: boolean
  /** `none` also for a source that was never connected. */
  readonly trouble: 'none' | 'offline' | 'broken'
  readonly detail?: string
}

export interface FleetReading {
  readonly records: readonly AgentRecord[]
  readonly statuses: readonly SourceStatus[]
}

/**
 * Reads every source in parallel. Never rejects: a source that fails returns no records and a status with the problem.
 */
export async function readFleet(registry: AgentRegistry): Promise<FleetReading> {
  const readings = await Promise.all(registry.list().map(readOneSource))
  return {
    records: readings.flatMap((reading) => reading.records),
    statuses: readings.map((reading) => reading.status),
  }
}

/** Reads only the statuses, for callers that take the records from the registry of record. Never rejects. */
export function readSourceStatuses(registry: AgentRegistry): Promise<SourceStatus[]> {
  return Promise.all(registry.list().map(statusOf))
}

async function readOneSource(source: AgentSource): Promise<{ records: readonly AgentRecord[]; status: SourceStatus }> {
  const [listed, status] = await Promise.all([settle(source.listAgents()), statusOf(source)])
  if ('value' in listed) return { records: listed.value, status }
  return { records: [], status: { ...status, stale: true, trouble: 'broken', detail: messageOf(listed.error) } }
}

async function statusOf(source: AgentSource): Promise<SourceStatus> {
  const health = await settle(source.health())
  if ('error' in health) {
    return {
      sourceId: source.id,
      state: 'disconnected',
      lastSyncAt: null,
      stale: true,
      trouble: 'broken',
      detail: messageOf(health.error),
    }
  }
  const { state, lastSyncAt, detail } = health.value
  const stale = state !== 'connected' && lastSyncAt !== null
  const isTrying = state === 'connecting' || state === 'reconnecting'
  return {
    sourceId: source.id,
    state,
    lastSyncAt,
    stale,
    trouble: stale || isTrying ? 'offline' : 'none',
    ...(detail === undefined ? {} : { detail }),
  }
}

async function settle<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
