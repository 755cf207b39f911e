import type { Execution, ExecutionOutcome } from '@clawboo/core/board'
import { toNanos } from '../../dollars.ts'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, join, list, type Sql, sql } from '../../sql.ts'

export interface NewExecution {
  readonly id: string
  readonly taskId: string
  readonly attempt: number
  readonly agentId: string
  readonly runtime: string | null
  /** The server that runs the attempt. */
  readonly owner: string
  readonly leaseMs: number
  readonly startedAt: number
}

/** One attempt at a task, with its worktree. Its lease runs by the database's clock. */
export interface StoredExecution extends Execution {
  readonly runtime: string | null
  readonly runId: string | null
  /** A person who takes a task back also makes its attempt `lost`. Then `lostAt` is null, and its report does not move the task. */
  readonly state: 'running' | 'lost' | ExecutionOutcome
  readonly reason: string | null
  readonly costUsd: number | null
  readonly worktree: { readonly path: string; readonly branch: string | null; readonly base: string | null } | null
  readonly owner: string
  readonly endedAt: number | null
}

/** Fields to overwrite. An absent field keeps its value. */
export interface ExecutionPatch {
  readonly runId?: string | null
  readonly worktree?: StoredExecution['worktree']
}

/** Every attempt at a task. */
export interface ExecutionsRepository {
  insert(execution: NewExecution): Promise<StoredExecution>
  get(id: string): Promise<StoredExecution | null>
  /** The attempts at these tasks, the first attempt first. */
  ofTasks(taskIds: readonly string[]): Promise<StoredExecution[]>
  underWay(): Promise<StoredExecution[]>
  update(id: string, patch: ExecutionPatch): Promise<StoredExecution | null>
  /** False when the attempt has ended or has another owner. Then its server stops working on it. */
  renew(lease: {
    readonly id: string
    readonly attempt: number
    readonly owner: string
    readonly leaseMs: number
  }): Promise<boolean>
  /** The ids of the attempts with an expired lease, the oldest expiry first. */
  runOut(limit: number): Promise<string[]>
  /** null when the attempt has ended or its lease has not expired. */
  lose(id: string, at: number): Promise<StoredExecution | null>
  /** Ends the running attempts at a task as lost for good, and resolves to them. */
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
  const { all, first } = readRecords(db, storedExecution)
  return {
    insert: async (execution) => (await first(insertStatement(execution)))!,
    get: (id) => first(sql`SELECT ${COLUMNS} FROM executions WHERE id = ${id}`),
    ofTasks: async (taskIds) =>
      taskIds.length === 0
        ? []
        : all(sql`SELECT ${COLUMNS} FROM executions WHERE task_id IN (${list(taskIds)}) ORDER BY task_id, attempt`),
    underWay: () => all(sql`SELECT ${COLUMNS} FROM executions WHERE state = 'running' ORDER BY lease_until, id`),
    update: (id, patch) => {
      const assignments = assignmentsOf(patch)
      if (assignments.length === 0) return first(sql`SELECT ${COLUMNS} FROM executions WHERE id = ${id}`)
      return first(sql`UPDATE executions SET ${join(assignments)} WHERE id = ${id} RETURNING ${COLUMNS}`)
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
        WHERE id = ${id} AND state = 'running' AND lease_until <= now_ms() RETURNING ${COLUMNS}`),
    withdraw: (taskId, at) =>
      all(sql`UPDATE executions SET state = 'lost', ended_at = ${at}
        WHERE task_id = ${taskId} AND state = 'running' RETURNING ${COLUMNS}`),
    report: async (id, { outcome, reason, costUsd, at }) =>
      (await first(sql`UPDATE executions SET state = ${outcome}, reason = ${reason},
        cost_nanos = ${costUsd === null ? null : toNanos(costUsd)}, reported_at = ${at},
        ended_at = coalesce(ended_at, ${at}) WHERE id = ${id} RETURNING ${COLUMNS}`))!,
  }
}

function insertStatement(execution: NewExecution): Sql {
  return sql`INSERT INTO executions (id, task_id, attempt, agent_id, runtime, state, owner_instance, lease_until, started_at)
    VALUES (${execution.id}, ${execution.taskId}, ${execution.attempt}, ${execution.agentId}, ${execution.runtime},
      'running', ${execution.owner}, now_ms() + CAST(${execution.leaseMs} AS BIGINT), ${execution.startedAt})
    RETURNING ${COLUMNS}`
}

function assignmentsOf({ runId, worktree }: ExecutionPatch): Sql[] {
  const assignments: Sql[] = []
  if (runId !== undefined) assignments.push(sql`run_id = ${runId}`)
  if (worktree !== undefined)
    assignments.push(sql`worktree_path = ${worktree?.path ?? null}, worktree_branch = ${worktree?.branch ?? null},
      worktree_base = ${worktree?.base ?? null}`)
  return assignments
}

const COLUMNS = sql`id, task_id, attempt, agent_id, runtime, run_id, state, reason, cost_nanos AS cost_usd, worktree_path,
  worktree_branch, worktree_base, owner_instance AS owner, started_at, lease_until, lost_at, reported_at, ended_at`

type ExecutionRow = Omit<StoredExecution, 'worktree' | 'report'> & {
  readonly worktreePath: string | null
  readonly worktreeBranch: string | null
  readonly worktreeBase: string | null
  readonly reportedAt: number | null
}

const decode = rowDecoder<ExecutionRow>({ dollars: ['costUsd'] })

function storedExecution(row: object): StoredExecution {
  const { worktreePath, worktreeBranch, worktreeBase, reportedAt, ...execution } = decode(row)
  return {
    ...execution,
    worktree: worktreePath === null ? null : { path: worktreePath, branch: worktreeBranch, base: worktreeBase },
    report: reportedAt === null ? null : reportOf(execution, reportedAt),
  }
}

function reportOf(execution: Omit<StoredExecution, 'worktree' | 'report'>, at: number): StoredExecution['report'] {
  const { id, attempt, state, reason, costUsd } = execution
  if (state === 'running' || state === 'lost') return null
  return { executionId: id, attempt, outcome: state, reason, costUsd, at }
}
