import type { AgentColumn, AgentRecord, AgentRecordStatus, ParticipantKind, RuntimeId } from '@clawboo/core/registry'
import type { SqlValue } from './sql.ts'

/** A row of `agents` as the database gives it. */
export interface AgentRow {
  readonly id: string
  readonly source_id: RuntimeId
  readonly source_agent_id: string
  readonly name: string | null
  readonly emoji: string | null
  readonly avatar_url: string | null
  readonly session_key: string | null
  readonly is_default: number
  readonly name_override: string | null
  readonly avatar_seed: string | null
  readonly team_id: string | null
  readonly personality_config: string | null
  readonly exec_config: string | null
  readonly capabilities: string | null
  readonly participant_kind: ParticipantKind
  readonly runtime: RuntimeId
  readonly tenant_id: string | null
  readonly created_at: number
  readonly status: AgentRecordStatus
  readonly status_at: number
  readonly archived_at: number | null
  readonly updated_at: number
}

/** The columns of an agent by the names callers use. Written by `insert` and `update`; a sync goes through `reconcile`. */
export interface AgentFields {
  /** What the upstream calls it. */
  readonly name: string | null
  readonly emoji: string | null
  readonly avatarUrl: string | null
  readonly sessionKey: string | null
  readonly isDefault: boolean
  /** The person's own name for it; wins over `name`. */
  readonly nameOverride: string | null
  readonly avatarSeed: string | null
  readonly teamId: string | null
  readonly personalityConfig: unknown
  readonly execConfig: unknown
  readonly capabilities: unknown
  readonly participantKind: ParticipantKind
  readonly runtime: RuntimeId
  readonly tenantId: string | null
  readonly status: AgentRecordStatus
  readonly statusAt: number
  readonly archivedAt: number | null
}

export function agentRecord(row: AgentRow): AgentRecord {
  return {
    id: row.id,
    sourceId: row.source_id,
    sourceAgentId: row.source_agent_id,
    displayName: row.name_override ?? row.name ?? row.source_agent_id,
    emoji: row.emoji,
    avatarUrl: row.avatar_url,
    avatarSeed: row.avatar_seed,
    status: row.status,
    statusAt: row.status_at,
    sessionKey: row.session_key,
    isDefault: row.is_default === 1,
    teamId: row.team_id,
    personalityConfig: fromJson(row.personality_config),
    execConfig: fromJson(row.exec_config),
    capabilities: fromJson(row.capabilities),
    participantKind: row.participant_kind,
    runtime: row.runtime,
    tenantId: row.tenant_id,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The given fields as columns, in the order of the fields; what is absent is left out. */
export function agentColumns(fields: Partial<AgentFields>): [AgentColumn, SqlValue][] {
  const columns: [AgentColumn, SqlValue][] = []
  for (const field of Object.keys(COLUMN_OF) as (keyof AgentFields)[]) {
    const value = fields[field]
    if (value === undefined) continue
    columns.push([COLUMN_OF[field], JSON_FIELDS.has(field) ? toJson(value) : (value as SqlValue)])
  }
  return columns
}

const COLUMN_OF = {
  name: 'name',
  emoji: 'emoji',
  avatarUrl: 'avatar_url',
  sessionKey: 'session_key',
  isDefault: 'is_default',
  nameOverride: 'name_override',
  avatarSeed: 'avatar_seed',
  teamId: 'team_id',
  personalityConfig: 'personality_config',
  execConfig: 'exec_config',
  capabilities: 'capabilities',
  participantKind: 'participant_kind',
  runtime: 'runtime',
  tenantId: 'tenant_id',
  status: 'status',
  statusAt: 'status_at',
  archivedAt: 'archived_at',
} as const satisfies Record<keyof AgentFields, AgentColumn>

const JSON_FIELDS: ReadonlySet<keyof AgentFields> = new Set(['personalityConfig', 'execConfig', 'capabilities'])

function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
