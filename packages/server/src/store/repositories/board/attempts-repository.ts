import type { Attempt, AttemptReport, AttemptState } from '@clawboo/core/board'
import { toNanos } from '../../dollars.ts'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, join, list, type Sql, sql } from '../../sql.ts'

interface NewAttempt {
  readonly id: string
  readonly taskId: string
  readonly number: number
  readonly agentId: string
  readonly runtime: string | null
  /** The server that runs the attempt. */
  readonly owner: string
  readonly leaseMs: number
  readonly startedAt: number
}

/** One attempt at a task, with its worktree. Its lease runs by the database's clock. */
export interface StoredAttempt extends Attempt {
  readonly runtime: string | null
  readonly runId: string | null
  /** A person who takes a task back also makes its attempt `lost`. Then `lostAt` is null, and its report does not move the task. */
  readonly state: AttemptState
  readonly reason: string | null
  readonly costUsd: number | null
  readonly worktree: { readonly path: string; readonly branch: string | null; readonly base: string | null } | null
  readonly owner: string
  readonly endedAt: number | null
}

/** Fields to overwrite. An absent field keeps its value. */
export interface AttemptPatch {
  readonly runId?: string | null
  readonly worktree?: StoredAttempt['worktree']
}

/** Every attempt at a task. */
export function createAttemptsRepository(db: Db) {
  const { all, first } = readRecords(db, storedAttempt)
  return {
    insert: async (attempt: NewAttempt) => (await first(insertStatement(attempt)))!,
    get: (id: string) => first(sql`SELECT ${COLUMNS} FROM attempts WHERE id = ${id}`),
    /** The attempts at these tasks, oldest first. */
    ofTasks: async (taskIds: readonly string[]) =>
      taskIds.length === 0
        ? []
        : all(sql`SELECT ${COLUMNS} FROM attempts WHERE task_id IN (${list(taskIds)}) ORDER BY task_id, number`),
    underWay: () => all(sql`SELECT ${COLUMNS} FROM attempts WHERE state = 'running' ORDER BY lease_until, id`),
    update: (id: string, patch: AttemptPatch) => {
      const assignments = assignmentsOf(patch)
      if (assignments.length === 0) return first(sql`SELECT ${COLUMNS} FROM attempts WHERE id = ${id}`)
      return first(sql`UPDATE attempts SET ${join(assignments)} WHERE id = ${id} RETURNING ${COLUMNS}`)
    },
    /** False when the attempt has ended or has another owner. Its server must then stop working on it. */
    renew: async ({
      id,
      number,
      owner,
      leaseMs,
    }: {
      readonly id: string
      readonly number: number
      readonly owner: string
      readonly leaseMs: number
    }) =>
      (await db.run(sql`UPDATE attempts SET lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE id = ${id} AND number = ${number} AND owner_instance = ${owner} AND state = 'running'`)) === 1,
    /** The ids of the attempts with an expired lease, the oldest expiry first. */
    runOut: async (limit: number) => {
      const rows = await db.all<{ id: string }>(sql`SELECT id FROM attempts
        WHERE state = 'running' AND lease_until <= now_ms() ORDER BY lease_until, id LIMIT ${limit}`)
      return rows.map(({ id }) => id)
    },
    /** null when the attempt has ended or its lease has not expired. */
    lose: (id: string, at: number) =>
      first(sql`UPDATE attempts SET state = 'lost', lost_at = ${at}, ended_at = ${at}
        WHERE id = ${id} AND state = 'running' AND lease_until <= now_ms() RETURNING ${COLUMNS}`),
    /** Ends the running attempts at a task as lost for good, and resolves to them. */
    withdraw: (taskId: string, at: number) =>
      all(sql`UPDATE attempts SET state = 'lost', ended_at = ${at}
        WHERE task_id = ${taskId} AND state = 'running' RETURNING ${COLUMNS}`),
    report: async (
      id: string,
      { outcome, reason, costUsd, at }: Pick<AttemptReport, 'outcome' | 'reason' | 'costUsd' | 'at'>,
    ) =>
      (await first(sql`UPDATE attempts SET state = ${outcome}, reason = ${reason},
        cost_nanos = ${costUsd === null ? null : toNanos(costUsd)}, reported_at = ${at},
        ended_at = coalesce(ended_at, ${at}) WHERE id = ${id} RETURNING ${COLUMNS}`))!,
  }
}

function insertStatement(attempt: NewAttempt): Sql {
  return sql`INSERT INTO attempts (id, task_id, number, agent_id, runtime, state, owner_instance, lease_until, started_at)
    VALUES (${attempt.id}, ${attempt.taskId}, ${attempt.number}, ${attempt.agentId}, ${attempt.runtime},
      'running', ${attempt.owner}, now_ms() + CAST(${attempt.leaseMs} AS BIGINT), ${attempt.startedAt})
    RETURNING ${COLUMNS}`
}

function assignmentsOf({ runId, worktree }: AttemptPatch): Sql[] {
  const assignments: Sql[] = []
  if (runId !== undefined) assignments.push(sql`run_id = ${runId}`)
  if (worktree !== undefined)
    assignments.push(sql`worktree_path = ${worktree?.path ?? null}, worktree_branch = ${worktree?.branch ?? null},
      worktree_base = ${worktree?.base ?? null}`)
  return assignments
}

const COLUMNS = sql`id, task_id, number, agent_id, runtime, run_id, state, reason, cost_nanos AS cost_usd, worktree_path,
  worktree_branch, worktree_base, owner_instance AS owner, started_at, lease_until, lost_at, reported_at, ended_at`

type AttemptRow = Omit<StoredAttempt, 'worktree' | 'report'> & {
  readonly worktreePath: string | null
  readonly worktreeBranch: string | null
  readonly worktreeBase: string | null
  readonly reportedAt: number | null
}

const decode = rowDecoder<AttemptRow>({ dollars: ['costUsd'] })

function storedAttempt(row: object): StoredAttempt {
  const { worktreePath, worktreeBranch, worktreeBase, reportedAt, ...attempt } = decode(row)
  return {
    ...attempt,
    worktree: worktreePath === null ? null : { path: worktreePath, branch: worktreeBranch, base: worktreeBase },
    report: reportedAt === null ? null : reportOf(attempt, reportedAt),
  }
}

function reportOf(attempt: Omit<StoredAttempt, 'worktree' | 'report'>, at: number): StoredAttempt['report'] {
  const { id, number, state, reason, costUsd } = attempt
  if (state === 'running' || state === 'lost') return null
  return { attemptId: id, attempt: number, outcome: state, reason, costUsd, at }
}
