import {
  type CostEvent,
  RUN_PROMPT_CHARACTERS,
  RUN_TEXT_CHARACTERS,
  type RunEntry,
  type RunOutcome,
  type RunReason,
  type RunRecord,
} from '@clawboo/core/executor'
import type { RuntimeId } from '@clawboo/core/registry'
import { toNanos } from '../../dollars.ts'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, join, list, ROWS_PER_STATEMENT, rows, type Sql, sql } from '../../sql.ts'
import { storableText } from '../../storable-text.ts'

export interface NewRun {
  readonly id: string
  readonly agentId: string
  readonly teamId: string | null
  readonly runtime: RuntimeId
  readonly sessionKey: string
  /** `message` when absent. */
  readonly trigger?: RunRecord['trigger']
  readonly model: string | null
  readonly prompt: string
  readonly owner: RunOwner
  readonly startedAt: number
}

/** The server that executes the run. No other server ends the run before the lease expires. */
interface RunOwner {
  readonly instance: string
  readonly leaseMs: number
}

export interface RunEnd {
  readonly outcome: RunOutcome
  readonly reason: RunReason | null
  readonly detail?: string | null
  readonly text: string
  /** The runtime's own mark from which it continues the conversation. */
  readonly resume?: string | null
  readonly endedAt: number
}

export interface RunFilter {
  readonly agentId?: string
  readonly sessionKey?: string
  readonly teamId?: string
  readonly state?: RunRecord['state']
  readonly outcome?: RunOutcome
  /** Lists only runs that started before this run; no runs when the id is unknown. */
  readonly before?: string
  readonly limit: number
}

/** All runs, with the stored part of their streams. */
export function createRunsRepository(db: Db) {
  const { all, first } = readRecords(db, runRecord)
  return {
    insert: async (run: NewRun) => (await first(insertStatement(run)))!,
    get: (id: string) => first(sql`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ${id}`),
    /** Newest first. */
    list: (filter: RunFilter) => all(listStatement(filter)),
    /** Counts a model call. False when the run has ended or has another owner. */
    addCost: async (id: string, instance: string, cost: Omit<CostEvent, 'type'>) =>
      (await db.run(costStatement(id, instance, cost))) === 1,
    /** null when the run has ended or has another owner. */
    end: (id: string, instance: string, { outcome, reason, detail = null, text, resume = null, endedAt }: RunEnd) =>
      first(sql`UPDATE runs SET state = 'ended', outcome = ${outcome}, reason = ${reason}, resume = ${resume},
        detail = ${detail === null ? null : storableText(detail, DETAIL_CHARACTERS)},
        last_text = ${storableText(text, RUN_TEXT_CHARACTERS)}, ended_at = ${endedAt}
        WHERE id = ${id} AND state = 'running' AND owner_instance = ${instance} RETURNING ${RUN_COLUMNS}`),
    /** Appending an entry again changes nothing. */
    appendEntries: async (runId: string, entries: readonly RunEntry[]) => {
      for (let from = 0; from < entries.length; from += ROWS_PER_STATEMENT) {
        const chunk = entries.slice(from, from + ROWS_PER_STATEMENT)
        const tuples = chunk.map((entry) => [runId, entry.seq, entry.ts, entry.type, JSON.stringify(entry)])
        await db.run(sql`INSERT INTO run_entries (run_id, seq, at, type, body) VALUES ${rows(tuples)}
          ON CONFLICT (run_id, seq) DO NOTHING`)
      }
    },
    /** The entries of these runs, ordered by `seq`. */
    entries: (runIds: readonly string[]) => readEntries(db, runIds),
    /** Renews the leases of this owner's active runs, and resolves to their number. */
    renewLeases: ({ instance, leaseMs }: RunOwner) =>
      db.run(sql`UPDATE runs SET lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE owner_instance = ${instance} AND state = 'running'`),
    /** Ends the earlier runs of a starting server, and the runs of other servers with an expired lease. */
    settleDead: (instance: string, at: number) =>
      all(sql`UPDATE runs SET state = 'ended', outcome = 'interrupted', reason = 'server_died', ended_at = ${at}
        WHERE state = 'running' AND (owner_instance = ${instance} OR lease_until < now_ms()) RETURNING ${RUN_COLUMNS}`),
    /** The mark of the conversation's last run that stored one. */
    resumePoint: async (agentId: string, sessionKey: string) => {
      const row = await db.get<{ resume: string }>(sql`SELECT resume FROM runs
        WHERE agent_id = ${agentId} AND session_key = ${sessionKey} AND resume IS NOT NULL
        ORDER BY started_at DESC, id DESC LIMIT 1`)
      return row?.resume ?? null
    },
    /** Deletes the marks, so that the next run of the conversation starts from the beginning. */
    forgetResumePoints: async (agentId: string, sessionKey: string) => {
      await db.run(sql`UPDATE runs SET resume = NULL
        WHERE agent_id = ${agentId} AND session_key = ${sessionKey} AND resume IS NOT NULL`)
    },
  }
}

const DETAIL_CHARACTERS = 2000

function insertStatement({ owner, ...run }: NewRun): Sql {
  return sql`INSERT INTO runs (id, agent_id, team_id, runtime, session_key, started_by, model, state, prompt, last_text,
      model_calls, unpriced_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
      owner_instance, lease_until, started_at)
    VALUES (${run.id}, ${run.agentId}, ${run.teamId}, ${run.runtime}, ${run.sessionKey}, ${run.trigger ?? 'message'}, ${run.model}, 'running',
      ${storableText(run.prompt, RUN_PROMPT_CHARACTERS)}, '', 0, 0, 0, 0, 0, 0,
      ${owner.instance}, now_ms() + CAST(${owner.leaseMs} AS BIGINT), ${run.startedAt})
    RETURNING ${RUN_COLUMNS}`
}

function listStatement({ agentId, sessionKey, teamId, state, outcome, before, limit }: RunFilter): Sql {
  const conditions = [sql`1 = 1`]
  if (agentId !== undefined) conditions.push(sql`agent_id = ${agentId}`)
  if (sessionKey !== undefined) conditions.push(sql`session_key = ${sessionKey}`)
  if (teamId !== undefined) conditions.push(sql`team_id = ${teamId}`)
  if (state !== undefined) conditions.push(sql`state = ${state}`)
  if (outcome !== undefined) conditions.push(sql`outcome = ${outcome}`)
  if (before !== undefined)
    conditions.push(
      sql`(started_at, id) < (SELECT older.started_at, older.id FROM runs AS older WHERE older.id = ${before})`,
    )
  return sql`SELECT ${RUN_COLUMNS} FROM runs WHERE ${join(conditions, ' AND ')} ORDER BY started_at DESC, id DESC LIMIT ${limit}`
}

function costStatement(id: string, instance: string, cost: Omit<CostEvent, 'type'>): Sql {
  const assignments = [
    sql`model = ${cost.model}`,
    sql`model_calls = model_calls + 1`,
    sql`input_tokens = input_tokens + ${cost.inputTokens}`,
    sql`output_tokens = output_tokens + ${cost.outputTokens}`,
    sql`cache_read_tokens = cache_read_tokens + ${cost.cacheReadTokens}`,
    sql`cache_write_tokens = cache_write_tokens + ${cost.cacheWriteTokens}`,
    cost.costUsd === null
      ? sql`unpriced_calls = unpriced_calls + 1`
      : sql`cost_nanos = coalesce(cost_nanos, 0) + ${toNanos(cost.costUsd)}`,
  ]
  if (cost.contextTokens !== undefined) assignments.push(sql`context_tokens = ${cost.contextTokens}`)
  if (cost.contextWindowTokens !== undefined) assignments.push(sql`context_window_tokens = ${cost.contextWindowTokens}`)
  return sql`UPDATE runs SET ${join(assignments)} WHERE id = ${id} AND state = 'running' AND owner_instance = ${instance}`
}

async function readEntries(db: Db, runIds: readonly string[]): Promise<Map<string, RunEntry[]>> {
  const found = new Map<string, RunEntry[]>(runIds.map((id) => [id, []]))
  if (runIds.length === 0) return found
  const stored = await db.all<{ runId: string; body: string }>(
    sql`SELECT run_id, body FROM run_entries WHERE run_id IN (${list(runIds)}) ORDER BY run_id, seq`,
  )
  for (const { runId, body } of stored) found.get(runId)!.push(JSON.parse(body) as RunEntry)
  return found
}

/** For a select list and for RETURNING. The agent's name is its current one, so that a renamed agent is found. */
const RUN_COLUMNS = sql`id, agent_id, (SELECT coalesce(agents.name_override, agents.name, agents.source_agent_id)
    FROM agents WHERE agents.id = runs.agent_id) AS agent_name,
  team_id, runtime, session_key, started_by AS trigger, model, state, outcome, reason, detail, prompt, last_text AS text,
  model_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nanos AS cost_usd,
  unpriced_calls = 0 AS cost_complete, context_tokens, context_window_tokens, started_at, ended_at`

const runRecord = rowDecoder<RunRecord>({ dollars: ['costUsd'], booleans: ['costComplete'] })
