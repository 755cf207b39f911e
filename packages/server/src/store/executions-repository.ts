import type { Execution, ExecutionOutcome } from '@clawboo/core/board'
import { toNanos, toUsd } from './dollars.ts'
import { type Db, join, list, type Sql, sql } from './sql.ts'

export interface NewExecution {
  readonly id: string
  readonly taskId: string
  readonly attempt: number
  readonly agentId: string
  readonly runtime: string | null
  /** The server that works on it. */
  readonly owner: string
  readonly leaseMs: number
  readonly startedAt: number
}

/** One attempt at a task with where it works. Its lease is by the database's clock. */
export interface StoredExecution extends Execution {
  readonly runtime: string | null
  readonly runId: string | null
  /** `lost` is also what a person took back; then `lostAt` is null, and no report of it moves the task. */
  readonly state: 'running' | 'lost' | ExecutionOutcome
  readonly reason: string | null
  readonly costUsd: number | null
  readonly worktree: { readonly path: string; readonly branch: string | null; readonly base: string | null } | null
  readonly owner: string
  readonly endedAt: number | null
}

/** Fields to overwrite; an absent one stays as it is. */
export interface ExecutionPatch {
  readonly runId?: string | null
  readonly worktree?: StoredExecution['worktree']
}

/** Every attempt at a task. */
export interface ExecutionsRepository {
  insert(execution: NewExecution): Promise<StoredExecution>
  get(id: string): Promise<StoredExecution | null>
  /** The first attempt first, of all these tasks. */
  ofTasks(taskIds: readonly string[]): Promise<StoredExecution[]>
  underWay(): Promise<StoredExecution[]>
  update(id: string, patch: ExecutionPatch): Promise<StoredExecution | null>
  /** False when it is no longer under way or not this owner's attempt: whoever works on it stops. */
  renew(lease: {
    readonly id: string
    readonly attempt: number
    readonly owner: string
    readonly leaseMs: number
  }): Promise<boolean>
  /** The ids of those whose lease ran out, the longest ago first. */
  runOut(limit: number): Promise<string[]>
  /** null when it is not under way or its lease has not run out. */
  lose(id: string, at: number): Promise<StoredExecution | null>
  /** Ends what is under way for a task as lost for good, and resolves to it. */
  withdraw(taskId: string, at: number): Promise<StoredExecution[]>
  report(id: string, report: ExecutionEnd): Promise<StoredExecution>
}

export interface ExecutionEnd {
  readonly outcome: ExecutionOutcome
  readonly reason: string | null
  readonly costUsd: number | null
  readonly at: number
}

export function createExecutionsRepository(db: Db): ExecutionsRepository {
  const all = async (query: Sql) => (await db.all<ExecutionRow>(query)).map(storedExecution)
  const first = async (query: Sql) => (await all(query))[0] ?? null
  return {
    insert: async (execution) => (await first(insertStatement(execution)))!,
    get: (id) => first(sql`SELECT * FROM executions WHERE id = ${id}`),
    ofTasks: async (taskIds) =>
      taskIds.length === 0
        ? []
        : all(sql`SELECT * FROM executions WHERE task_id IN (${list(taskIds)}) ORDER BY task_id, attempt`),
    underWay: () => all(sql`SELECT * FROM executions WHERE state = 'running' ORDER BY lease_until, id`),
    update: (id, patch) => {
      const assignments = assignmentsOf(patch)
      if (assignments.length === 0) return first(sql`SELECT * FROM executions WHERE id = ${id}`)
      return first(sql`UPDATE executions SET ${join(assignments)} WHERE id = ${id} RETURNING *`)
    },
    renew: async ({ id, attempt, owner, leaseMs }) =>
      (await db.run(sql`UPDATE executions SET lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE id = ${id} AND attempt = ${attempt} AND owner_instance = ${owner} AND state = 'running'`)) === 1,
    runOut: async (limit) => {
      const rows = await db.all<{ id: string }>(sql`SELECT id FROM executions
        WHERE state = 'running' AND lease_until <= now_ms() ORDER BY lease_until, id LIMIT ${limit}`)
      return rows.map(({ id }) => id)
    },
    lose: (id, at) =>
      first(sql`UPDATE executions SET state = 'lost', lost_at = ${at}, ended_at = ${at}
        WHERE id = ${id} AND state = 'running' AND lease_until <= now_ms() RETURNING *`),
    withdraw: (taskId, at) =>
      all(sql`UPDATE executions SET state = 'lost', ended_at = ${at}
        WHERE task_id = ${taskId} AND state = 'running' RETURNING *`),
    report: async (id, { outcome, reason, costUsd, at }) =>
      (await first(sql`UPDATE executions SET state = ${outcome}, reason = ${reason},
        cost_nanos = ${costUsd === null ? null : toNanos(costUsd)}, reported_at = ${at},
        ended_at = coalesce(ended_at, ${at}) WHERE id = ${id} RETURNING *`))!,
  }
}

function insertStatement(execution: NewExecution): Sql {
  return sql`INSERT INTO executions (id, task_id, attempt, agent_id, runtime, state, owner_instance, lease_until, started_at)
    VALUES (${execution.id}, ${execution.taskId}, ${execution.attempt}, ${execution.agentId}, ${execution.runtime},
      'running', ${execution.owner}, now_ms() + CAST(${execution.leaseMs} AS BIGINT), ${execution.startedAt})
    RETURNING *`
}

function assignmentsOf({ runId, worktree }: ExecutionPatch): Sql[] {
  const assignments: Sql[] = []
  if (runId !== undefined) assignments.push(sql`run_id = ${runId}`)
  if (worktree !== undefined)
    assignments.push(sql`worktree_path = ${worktree?.path ?? null}, worktree_branch = ${worktree?.branch ?? null},
      worktree_base = ${worktree?.base ?? null}`)
  return assignments
}

interface ExecutionRow {
  readonly id: string
  readonly task_id: string
  readonly attempt: number
  readonly agent_id: string
  readonly runtime: string | null
  readonly run_id: string | null
  readonly state: StoredExecution['state']
  readonly reason: string | null
  readonly cost_nanos: number | null
  readonly worktree_path: string | null
  readonly worktree_branch: string | null
  readonly worktree_base: string | null
  readonly owner_instance: string
  readonly lease_until: number
  readonly started_at: number
  readonly lost_at: number | null
  readonly reported_at: number | null
  readonly ended_at: number | null
}

function storedExecution(row: ExecutionRow): StoredExecution {
  const { id, attempt, reason } = row
  const costUsd = row.cost_nanos === null ? null : toUsd(row.cost_nanos)
  const hasReported = row.reported_at !== null && row.state !== 'running' && row.state !== 'lost'
  return {
    id,
    taskId: row.task_id,
    attempt,
    agentId: row.agent_id,
    runtime: row.runtime,
    runId: row.run_id,
    state: row.state,
    reason,
    costUsd,
    worktree:
      row.worktree_path === null
        ? null
        : { path: row.worktree_path, branch: row.worktree_branch, base: row.worktree_base },
    owner: row.owner_instance,
    startedAt: row.started_at,
    leaseUntil: row.lease_until,
    lostAt: row.lost_at,
    endedAt: row.ended_at,
    report: hasReported
      ? { executionId: id, attempt, outcome: row.state as ExecutionOutcome, reason, costUsd, at: row.reported_at! }
      : null,
  }
}
