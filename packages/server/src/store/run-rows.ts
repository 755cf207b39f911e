import type { RunOutcome, RunReason, RunRecord } from '@clawboo/core/executor'
import { toUsd } from './dollars.ts'
import { sql } from './sql.ts'

/** A row of `runs` as the database gives it. */
export interface RunRow {
  readonly id: string
  readonly agent_id: string
  readonly agent_name: string
  readonly team_id: string | null
  readonly runtime: string
  readonly session_key: string
  readonly started_by: RunRecord['trigger']
  readonly model: string | null
  readonly state: RunRecord['state']
  readonly outcome: RunOutcome | null
  readonly reason: RunReason | null
  readonly detail: string | null
  readonly prompt: string
  readonly last_text: string
  readonly model_calls: number
  readonly unpriced_calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost_nanos: number | null
  readonly context_tokens: number | null
  readonly context_window_tokens: number | null
  readonly started_at: number
  readonly ended_at: number | null
}

/** For a select list and for RETURNING: the name is the agent's of today, so that a renamed one is found. */
export const RUN_COLUMNS = sql`*, (SELECT coalesce(agents.name_override, agents.name, agents.source_agent_id)
  FROM agents WHERE agents.id = runs.agent_id) AS agent_name`

export function runRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    agentName: row.agent_name,
    teamId: row.team_id,
    runtime: row.runtime,
    sessionKey: row.session_key,
    trigger: row.started_by,
    model: row.model,
    state: row.state,
    outcome: row.outcome,
    reason: row.reason,
    detail: row.detail,
    prompt: row.prompt,
    text: row.last_text,
    modelCalls: row.model_calls,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    costUsd: row.cost_nanos === null ? null : toUsd(row.cost_nanos),
    costComplete: row.unpriced_calls === 0,
    contextTokens: row.context_tokens,
    contextWindowTokens: row.context_window_tokens,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}
