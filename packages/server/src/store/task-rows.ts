import {
  type BoardTask,
  type CancelledWith,
  TASK_PRIORITIES,
  type TaskAssignee,
  type TaskCard,
  type TaskPriority,
  type TaskSource,
  type TaskStatus,
} from '@clawboo/core/board'
import { toUsd } from './dollars.ts'
import { raw } from './sql.ts'

export interface TaskCardRow {
  readonly id: string
  readonly team_id: string
  readonly title: string
  readonly status: TaskStatus
  readonly position: number
  readonly priority: number
  readonly assignee_kind: TaskAssignee['kind'] | null
  readonly assignee_id: string | null
  readonly parent_id: string | null
  readonly depth: number
  readonly source_kind: TaskSource['kind']
  readonly source_id: string | null
  readonly source_run_id: string | null
  readonly source_post_id: string | null
  readonly changes_files: number
  readonly attempts: number
  readonly cost_nanos: number | null
  readonly changed_at: number | null
  readonly failed_at: number | null
  readonly cancelled_with: string | null
  readonly reason: string | null
  readonly open_blockers: number
  readonly execution_id: string | null
  readonly attended_at: number | null
  readonly created_at: number
  readonly updated_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
}

export interface TaskRow extends TaskCardRow {
  readonly body: string
}

/** All but the body, which may be long. */
export const TASK_CARD_COLUMNS =
  raw(`id, team_id, title, status, position, priority, assignee_kind, assignee_id, parent_id,
  depth, source_kind, source_id, source_run_id, source_post_id, changes_files, attempts, cost_nanos, changed_at, failed_at,
  cancelled_with, reason, open_blockers, execution_id, attended_at, created_at, updated_at, started_at, ended_at`)

export function boardTask(row: TaskRow): BoardTask {
  return { ...taskCard(row), body: row.body }
}

export function taskCard(row: TaskCardRow): TaskCard {
  return {
    id: row.id,
    teamId: row.team_id,
    title: row.title,
    status: row.status,
    position: row.position,
    priority: TASK_PRIORITIES[row.priority] ?? 'normal',
    assignee: row.assignee_kind === null ? null : { kind: row.assignee_kind, id: row.assignee_id! },
    parentId: row.parent_id,
    depth: row.depth,
    source: { kind: row.source_kind, id: row.source_id, runId: row.source_run_id, postId: row.source_post_id },
    changesFiles: row.changes_files === 1,
    attempts: row.attempts,
    costUsd: row.cost_nanos === null ? null : toUsd(row.cost_nanos),
    changedAt: row.changed_at,
    failedAt: row.failed_at,
    cancelledWith: row.cancelled_with === null ? null : (JSON.parse(row.cancelled_with) as CancelledWith),
    reason: row.reason,
    openBlockers: row.open_blockers,
    executionId: row.execution_id,
    attendedAt: row.attended_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}

/** A number, so that the most pressing can be found by an index. */
export function priorityNumber(priority: TaskPriority): number {
  return TASK_PRIORITIES.indexOf(priority)
}
