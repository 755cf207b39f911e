import { type BoardTask, TASK_PRIORITIES, type TaskCard, type TaskPriority } from '@clawboo/core/board'
import { rowDecoder } from '../../read-records.ts'
import { raw } from '../../sql.ts'

type TaskCardRow = Omit<TaskCard, 'priority' | 'assignee' | 'source'> & {
  readonly priority: number
  readonly assigneeKind: NonNullable<TaskCard['assignee']>['kind'] | null
  readonly assigneeId: string | null
  readonly sourceKind: TaskCard['source']['kind']
  readonly sourceId: string | null
  readonly sourceRunId: string | null
  readonly sourcePostId: string | null
}

/** All but the body, which can be long. */
export const TASK_CARD_COLUMNS =
  raw(`id, team_id, title, status, position, priority, assignee_kind, assignee_id, parent_id, depth, source_kind, source_id,
  source_run_id, source_post_id, changes_files, attempts, cost_nanos AS cost_usd, changed_at, failed_at, cancelled_with,
  reason, open_blockers, attempt_id, attended_at, created_at, updated_at, started_at, ended_at`)

export const TASK_COLUMNS = raw(`${TASK_CARD_COLUMNS.strings[0]}, body`)

const decode = rowDecoder<TaskCardRow>({
  json: ['cancelledWith'],
  booleans: ['changesFiles'],
  dollars: ['costUsd'],
})

export function boardTask(row: { readonly body: string }): BoardTask {
  return { ...taskCard(row), body: row.body }
}

/** Lists every field, because leaving some out of a copy takes many times as long and a board has many cards. */
export function taskCard(stored: object): TaskCard {
  const row = decode(stored)
  return {
    id: row.id,
    teamId: row.teamId,
    title: row.title,
    status: row.status,
    position: row.position,
    priority: TASK_PRIORITIES[row.priority] ?? 'normal',
    assignee: row.assigneeKind === null ? null : { kind: row.assigneeKind, id: row.assigneeId! },
    parentId: row.parentId,
    depth: row.depth,
    source: { kind: row.sourceKind, id: row.sourceId, runId: row.sourceRunId, postId: row.sourcePostId },
    changesFiles: row.changesFiles,
    attempts: row.attempts,
    costUsd: row.costUsd,
    changedAt: row.changedAt,
    failedAt: row.failedAt,
    cancelledWith: row.cancelledWith,
    reason: row.reason,
    openBlockers: row.openBlockers,
    attemptId: row.attemptId,
    attendedAt: row.attendedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  }
}

/** A number, so that an index can find the most urgent tasks. */
export function priorityNumber(priority: TaskPriority): number {
  return TASK_PRIORITIES.indexOf(priority)
}
