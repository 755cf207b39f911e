import {
  AGENT_COLUMN_OWNERS,
  type AgentColumn,
  type AgentRecord,
  type AgentRecordStatus,
  type ParticipantKind,
  type RuntimeId,
} from '@clawboo/core/registry'
import { type FieldName, fieldName } from '../../field-name.ts'
import { rowDecoder } from '../../read-records.ts'
import { type SqlValue, sql } from '../../sql.ts'

/** The fields of an agent that `insert` and `update` write. A sync goes through `reconcile` instead. */
export interface AgentFields {
  /** The upstream's name for the agent. */
  readonly name: string | null
  readonly emoji: string | null
  readonly avatarUrl: string | null
  readonly sessionKey: string | null
  readonly isDefault: boolean
  /** A person's own name for the agent. It is shown instead of `name`. */
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

/** For a select list and for RETURNING. */
export const AGENT_COLUMNS = sql`id, source_id, source_agent_id,
  coalesce(name_override, name, source_agent_id) AS display_name, emoji, avatar_url, avatar_seed, status, status_at,
  session_key, is_default, team_id, personality_config, exec_config, capabilities, participant_kind, runtime, tenant_id,
  archived_at, created_at, updated_at`

const JSON_FIELDS = ['personalityConfig', 'execConfig', 'capabilities'] as const

export const agentRecord = rowDecoder<AgentRecord>({ json: JSON_FIELDS, booleans: ['isDefault'] })

/** The columns and values of these fields. Absent fields are left out. */
export function agentColumns(fields: Partial<AgentFields>): [AgentColumn, SqlValue][] {
  const columns: [AgentColumn, SqlValue][] = []
  for (const [column, field] of WRITABLE) {
    const value = fields[field]
    if (value === undefined) continue
    columns.push([column, IS_JSON.has(field) ? toJson(value) : (value as SqlValue)])
  }
  return columns
}

/** The columns that are written once, or only by the repository. */
type FixedColumn = 'id' | 'source_id' | 'source_agent_id' | 'created_at' | 'updated_at'

const FIXED: ReadonlySet<AgentColumn> = new Set<FixedColumn>([
  'id',
  'source_id',
  'source_agent_id',
  'created_at',
  'updated_at',
])

const WRITABLE = (Object.keys(AGENT_COLUMN_OWNERS) as AgentColumn[])
  .filter((column): column is Exclude<AgentColumn, FixedColumn> => !FIXED.has(column))
  .map((column) => [column, fieldName(column) satisfies keyof AgentFields] as const)

const IS_JSON: ReadonlySet<FieldName<AgentColumn>> = new Set(JSON_FIELDS)

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
