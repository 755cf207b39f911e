import type { RunRecord } from '@clawboo/core/executor'
import { rowDecoder } from '../../read-records.ts'
import { sql } from '../../sql.ts'

/** For a select list and for RETURNING. The agent's name is its current one, so that a renamed agent is found. */
export const RUN_COLUMNS = sql`id, agent_id, (SELECT coalesce(agents.name_override, agents.name, agents.source_agent_id)
    FROM agents WHERE agents.id = runs.agent_id) AS agent_name,
  team_id, runtime, session_key, started_by AS trigger, model, state, outcome, reason, detail, prompt, last_text AS text,
  model_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nanos AS cost_usd,
  unpriced_calls = 0 AS cost_complete, context_tokens, context_window_tokens, started_at, ended_at`

export const runRecord = rowDecoder<RunRecord>({ dollars: ['costUsd'], booleans: ['costComplete'] })
