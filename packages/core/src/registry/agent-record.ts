import type { AgentFileName } from './agent-file.ts'
import type { RuntimeId } from './runtime-id.ts'

/** What an agent is doing, as last written by whoever runs it. `unknown` means: it was running when the server last stopped. */
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
 * One member of the fleet: who exists, never how it runs.
 * `AGENT_COLUMN_OWNERS` says which of these fields a sync from an upstream may overwrite.
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
  /** True when this is its source's default agent. */
  readonly isDefault: boolean
  /** null = in no team. */
  readonly teamId: string | null
  readonly personalityConfig: unknown
  readonly execConfig: unknown
  readonly capabilities: unknown
  readonly participantKind: ParticipantKind
  readonly runtime: RuntimeId
  /** Dormant: null is the one implicit tenant. */
  readonly tenantId: string | null
  /** When it vanished upstream (epoch ms); null = live. */
  readonly archivedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a caller may say when it makes an agent. */
export interface CreateAgentInput {
  readonly name: string
  readonly teamId?: string | null
  readonly participantKind?: ParticipantKind
  readonly runtime?: RuntimeId
  readonly emoji?: string | null
  readonly avatarSeed?: string | null
  readonly personalityConfig?: unknown
  readonly execConfig?: unknown
  /** Written as first revisions when the agent is made. */
  readonly files?: Readonly<Partial<Record<AgentFileName, string>>>
}

/** The fields a caller may patch. An absent field stays as it is. */
export interface UpdateAgentInput {
  readonly name?: string
  readonly teamId?: string | null
  readonly emoji?: string | null
  readonly avatarSeed?: string | null
  readonly personalityConfig?: unknown
  readonly execConfig?: unknown
}
