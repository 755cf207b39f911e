import type { AgentFileName } from './agent-file.ts'
import type { RuntimeId } from './runtime-id.ts'

/** The agent's activity, as last written by its runtime. `unknown`: it was running when the server last stopped. */
export type AgentRecordStatus = 'idle' | 'running' | 'error' | 'sleeping' | 'unknown' | 'archived'

export const AGENT_STATUSES = [
  'idle',
  'running',
  'error',
  'sleeping',
  'unknown',
  'archived',
] as const satisfies readonly AgentRecordStatus[]

export type ParticipantKind = 'agent' | 'human'

/**
 * One member of the fleet: who exists, never how it runs. `AGENT_COLUMN_OWNERS` lists the fields that a sync may
 * overwrite.
 */
export interface AgentRecord {
  readonly id: string
  /** The AgentSource that owns the upstream record. */
  readonly sourceId: RuntimeId
  /** The id within that source. */
  readonly sourceAgentId: string
  /** The person's own name for it, else the upstream's name, else the id. */
  readonly displayName: string
  readonly emoji: string | null
  readonly avatarUrl: string | null
  readonly avatarSeed: string | null
  readonly status: AgentRecordStatus
  /** When `status` was last written (epoch ms). */
  readonly statusAt: number
  readonly sessionKey: string | null
  /** Whether this is the default agent of its source. */
  readonly isDefault: boolean
  /** null when it has no team. */
  readonly teamId: string | null
  readonly personalityConfig: unknown
  readonly execConfig: unknown
  readonly capabilities: unknown
  readonly participantKind: ParticipantKind
  readonly runtime: RuntimeId
  /** Dormant: null is the one implicit tenant. */
  readonly tenantId: string | null
  /** When it vanished upstream (epoch ms); null when live. */
  readonly archivedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The fields of a new agent. */
export interface CreateAgentInput {
  readonly name: string
  readonly teamId?: string | null
  readonly participantKind?: ParticipantKind
  readonly runtime?: RuntimeId
  readonly emoji?: string | null
  readonly avatarSeed?: string | null
  readonly personalityConfig?: unknown
  readonly execConfig?: unknown
  /** Written as first revisions when the agent is created. */
  readonly files?: Readonly<Partial<Record<AgentFileName, string>>>
}

/** The fields that a caller may patch. Absent fields stay unchanged. */
export interface UpdateAgentInput {
  readonly name?: string
  readonly teamId?: string | null
  readonly emoji?: string | null
  readonly avatarSeed?: string | null
  readonly personalityConfig?: unknown
  readonly execConfig?: unknown
}
