/**
 * Which writer owns each column of the `agents` table. The SET clause of a sync is generated from the `upstream` rows,
 * so a sync can never overwrite a `clawboo` column.
 *
 * - `upstream`: overwritten by every sync.
 * - `clawboo`: set here and never changed by a sync.
 * - `lifecycle`: changed by archive and revive, and by the runtime of the agent.
 */
export const AGENT_COLUMN_OWNERS = {
  id: 'clawboo',
  source_id: 'clawboo',
  source_agent_id: 'upstream',
  name: 'upstream',
  emoji: 'upstream',
  avatar_url: 'upstream',
  session_key: 'upstream',
  is_default: 'upstream',
  name_override: 'clawboo',
  avatar_seed: 'clawboo',
  team_id: 'clawboo',
  personality_config: 'clawboo',
  exec_config: 'clawboo',
  capabilities: 'clawboo',
  participant_kind: 'clawboo',
  runtime: 'clawboo',
  tenant_id: 'clawboo',
  created_at: 'clawboo',
  status: 'lifecycle',
  status_at: 'lifecycle',
  archived_at: 'lifecycle',
  updated_at: 'lifecycle',
} as const satisfies Record<string, 'upstream' | 'clawboo' | 'lifecycle'>

export type AgentColumn = keyof typeof AGENT_COLUMN_OWNERS

export function agentColumnsOwnedBy(owner: 'upstream' | 'clawboo' | 'lifecycle'): AgentColumn[] {
  return (Object.keys(AGENT_COLUMN_OWNERS) as AgentColumn[]).filter((column) => AGENT_COLUMN_OWNERS[column] === owner)
}
