import {
  type BoardTask,
  TASK_PRIORITIES,
  type TaskAssignee,
  type TaskCard,
  type TaskPriority,
  type TaskStatus,
} from '@clawboo/core/board'
import { toNanos } from '../../dollars.ts'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, join, list, ROWS_PER_STATEMENT, raw, type Sql, sql } from '../../sql.ts'

interface TaskClaim {
  readonly taskId: string
  readonly attemptId: string
  /** The assignee that the claimer has read. The claim is lost when the task has another assignee now. */
  readonly expects: TaskAssignee | null
  readonly by: TaskAssignee
  readonly at: number
}

export interface ColumnPage {
  readonly limit: number
  readonly after?: { readonly position: number; readonly id: string }
  readonly filter?: TaskFilter
}

/** An absent field matches every task. */
export interface TaskFilter {
  /** null = unassigned. */
  readonly assignee?: TaskAssignee | null
  readonly priority?: TaskPriority
  /** A part of the title. */
  readonly text?: string
}

export interface ToDoFilter {
  readonly teamId?: string
  /** Lists only tasks that an agent could start now, without the tasks of these agents. */
  readonly notOf?: readonly string[]
  readonly limit: number
}

/** Returns a position after every task of any column, without reading a column. It leaves gaps. */
export function lastPlace(at: number): number {
  return at * PLACE_STEP
}

const PLACE_STEP = 1024

/**
 * The tasks of all teams. Before a change, take the lock of the task's team and read the task with `lock`; a claim
 * needs neither.
 */
export function createTasksRepository(db: Db) {
  const { all, first } = readRecords(db, boardTask)
  const { all: cards } = readRecords(db, taskCard)
  const many = (ids: readonly string[], ending: Sql) =>
    inChunks(ids, (chunk) =>
      all(sql`SELECT ${TASK_COLUMNS} FROM tasks WHERE id IN (${list(chunk)}) ORDER BY id ${ending}`),
    )
  return {
    insert: async (task: BoardTask) => (await first(insertStatement(task)))!,
    get: (id: string) => first(sql`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ${id}`),
    getMany: (ids: readonly string[]) => many(ids, raw('')),
    /**
     * Like `getMany`, but locks the tasks until the transaction ends. SQLite needs no lock, because it has one writer.
     */
    lock: (ids: readonly string[]) => many(ids, raw(db.engine === 'postgres' ? 'FOR UPDATE' : '')),
    /** Writes every field that can change, except the two counts: open blockers and unread reports. */
    save: async (task: BoardTask) => (await first(saveStatement(task)))!,
    /**
     * Claims the task in one statement, if the task is in To do, has no open blocker and no unread report, and has the
     * expected assignee; null = the claim is lost. Evidence of earlier attempts no longer counts.
     */
    claim: (claim: TaskClaim) => first(claimStatement(claim)),
    /** Moves the task back to To do. null = this attempt no longer has the claim. */
    free: (taskId: string, attemptId: string, at: number) =>
      first(sql`UPDATE tasks SET status = 'todo', attempt_id = NULL, updated_at = ${at}, position = ${lastPlace(at)}
        WHERE id = ${taskId} AND status = 'in_progress' AND attempt_id = ${attemptId} RETURNING ${TASK_COLUMNS}`),
    /** Counts the open blockers again, and resolves to the tasks with a changed count. */
    recountBlockers: (ids: readonly string[]) => inChunks(ids, (chunk) => all(recountStatement(chunk))),
    addUnreadReports: async (taskId: string, by: 1 | -1) => {
      await db.run(sql`UPDATE tasks SET unread_reports = unread_reports + ${by} WHERE id = ${taskId}`)
    },
    /** In the column's order. Lists only cards after `after`. */
    column: (teamId: string, status: TaskStatus, { limit, after, filter = {} }: ColumnPage) => {
      const behind = after ? sql`AND (position, id) > (${after.position}, ${after.id})` : raw('')
      return cards(sql`SELECT ${TASK_CARD_COLUMNS} FROM tasks WHERE team_id = ${teamId} AND status = ${status}
        ${behind} ${join(conditionsOf(filter), ' ')} ORDER BY position, id LIMIT ${limit}`)
    },
    /** The position of the task before this one in the column; null = it is the first. */
    placeBefore: async (teamId: string, status: TaskStatus, { position, id }: Pick<BoardTask, 'position' | 'id'>) => {
      const row = await db.get<{ position: number }>(sql`SELECT position FROM tasks
        WHERE team_id = ${teamId} AND status = ${status} AND (position, id) < (${position}, ${id})
        ORDER BY position DESC, id DESC LIMIT 1`)
      return row?.position ?? null
    },
    /** Spaces the tasks of a column out, in their order. */
    spreadColumn: async (teamId: string, status: TaskStatus) => {
      await db.run(spreadStatement(teamId, status))
    },
    /** The tasks in To do, the most urgent first, then the oldest. */
    toDo: (filter: ToDoFilter) => cards(toDoStatement(filter)),
    children: (parentIds: readonly string[]) =>
      inChunks(parentIds, (chunk) =>
        cards(sql`SELECT ${TASK_CARD_COLUMNS} FROM tasks WHERE parent_id IN (${list(chunk)}) ORDER BY created_at, id`),
      ),
    /** Children that are neither done nor cancelled. */
    countLiveChildren: (parentId: string) =>
      count(db, sql`parent_id = ${parentId} AND status NOT IN ('done', 'cancelled')`),
    countMadeByRun: (runId: string) => count(db, sql`source_run_id = ${runId}`),
  }
}

/** Counts down from the last position, so that the next new task still comes after all of them. */
function spreadStatement(teamId: string, status: TaskStatus): Sql {
  return sql`UPDATE tasks SET position = placed.last - placed.behind * ${raw(String(PLACE_STEP))}
    FROM (SELECT id AS task_id, max(position) OVER () AS last,
        row_number() OVER (ORDER BY position DESC, id DESC) - 1 AS behind
      FROM tasks WHERE team_id = ${teamId} AND status = ${status}) AS placed
    WHERE tasks.id = placed.task_id`
}

function toDoStatement({ teamId, notOf, limit }: ToDoFilter): Sql {
  const within = teamId === undefined ? raw('') : sql`AND team_id = ${teamId}`
  const ready = notOf === undefined ? raw('') : sql`AND assignee_kind = 'agent' AND open_blockers = 0`
  const others = notOf === undefined || notOf.length === 0 ? raw('') : sql`AND assignee_id NOT IN (${list(notOf)})`
  return sql`SELECT ${TASK_CARD_COLUMNS} FROM tasks WHERE status = 'todo' ${within} ${ready} ${others}
    ORDER BY priority DESC, created_at, id LIMIT ${limit}`
}

function conditionsOf({ assignee, priority, text }: TaskFilter): Sql[] {
  const conditions: Sql[] = []
  if (assignee === null) conditions.push(sql`AND assignee_id IS NULL`)
  else if (assignee) conditions.push(sql`AND assignee_kind = ${assignee.kind} AND assignee_id = ${assignee.id}`)
  if (priority !== undefined) conditions.push(sql`AND priority = ${priorityNumber(priority)}`)
  if (text !== undefined) {
    const part = `%${text.replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(sql`AND lower(title) LIKE lower(${part}) ESCAPE '\\'`)
  }
  return conditions
}

function claimStatement({ taskId, attemptId, expects, by, at }: TaskClaim): Sql {
  return sql`UPDATE tasks SET status = 'in_progress', attempts = attempts + 1, attempt_id = ${attemptId},
      assignee_kind = ${by.kind}, assignee_id = ${by.id}, started_at = coalesce(started_at, ${at}),
      changed_at = CASE WHEN changed_at > ${at} THEN changed_at ELSE ${at} END,
      failed_at = NULL, reason = NULL, ended_at = NULL, updated_at = ${at}, position = ${lastPlace(at)}
    WHERE id = ${taskId} AND status = 'todo' AND open_blockers = 0 AND unread_reports = 0 AND attempt_id IS NULL
      AND assignee_kind IS NOT DISTINCT FROM ${expects?.kind ?? null}
      AND assignee_id IS NOT DISTINCT FROM ${expects?.id ?? null}
    RETURNING ${TASK_COLUMNS}`
}

/**
 * Stores the number of open blockers in each row, because a claim that waited for another writer reads only its own row
 * again.
 */
function recountStatement(ids: readonly string[]): Sql {
  const open = sql`(SELECT count(*) FROM task_links JOIN tasks AS blocker ON blocker.id = task_links.blocker_id
    WHERE task_links.blocked_id = tasks.id AND blocker.status <> 'done')`
  return sql`UPDATE tasks SET open_blockers = ${open} WHERE id IN (${list(ids)}) AND open_blockers <> ${open} RETURNING ${TASK_COLUMNS}`
}

function insertStatement(task: BoardTask): Sql {
  const { assignee, source } = task
  return sql`INSERT INTO tasks (id, team_id, title, body, status, position, priority, assignee_kind, assignee_id, parent_id,
      depth, source_kind, source_id, source_run_id, source_post_id, changes_files, attempts, cost_nanos, changed_at,
      failed_at, cancelled_with, reason, open_blockers, unread_reports, attempt_id, attended_at, created_at, updated_at,
      started_at, ended_at)
    VALUES (${task.id}, ${task.teamId}, ${task.title}, ${task.body}, ${task.status}, ${task.position},
      ${priorityNumber(task.priority)}, ${assignee?.kind ?? null}, ${assignee?.id ?? null}, ${task.parentId}, ${task.depth},
      ${source.kind}, ${source.id}, ${source.runId}, ${source.postId}, ${task.changesFiles}, ${task.attempts},
      ${nanosOf(task)}, ${task.changedAt}, ${task.failedAt}, ${cancelledWithOf(task)}, ${task.reason},
      ${task.openBlockers}, 0, ${task.attemptId}, ${task.attendedAt}, ${task.createdAt}, ${task.updatedAt},
      ${task.startedAt}, ${task.endedAt})
    RETURNING ${TASK_COLUMNS}`
}

function saveStatement(task: BoardTask): Sql {
  return sql`UPDATE tasks SET ${join([
    sql`title = ${task.title}, body = ${task.body}, status = ${task.status}, position = ${task.position}`,
    sql`priority = ${priorityNumber(task.priority)}, changes_files = ${task.changesFiles}`,
    sql`assignee_kind = ${task.assignee?.kind ?? null}, assignee_id = ${task.assignee?.id ?? null}`,
    sql`parent_id = ${task.parentId}, depth = ${task.depth}, attempts = ${task.attempts}, cost_nanos = ${nanosOf(task)}`,
    sql`changed_at = ${task.changedAt}, failed_at = ${task.failedAt}, cancelled_with = ${cancelledWithOf(task)}`,
    sql`reason = ${task.reason}, attempt_id = ${task.attemptId}, attended_at = ${task.attendedAt}`,
    sql`updated_at = ${task.updatedAt}, started_at = ${task.startedAt}, ended_at = ${task.endedAt}`,
  ])} WHERE id = ${task.id} RETURNING ${TASK_COLUMNS}`
}

function nanosOf({ costUsd }: BoardTask): number | null {
  return costUsd === null ? null : toNanos(costUsd)
}

function cancelledWithOf({ cancelledWith }: BoardTask): string | null {
  return cancelledWith === null ? null : JSON.stringify(cancelledWith)
}

async function count(db: Db, condition: Sql): Promise<number> {
  return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM tasks WHERE ${condition}`))!.n
}

async function inChunks<T>(ids: readonly string[], work: (chunk: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const unique = [...new Set(ids)].sort()
  const found: T[] = []
  for (let from = 0; from < unique.length; from += ROWS_PER_STATEMENT)
    found.push(...(await work(unique.slice(from, from + ROWS_PER_STATEMENT))))
  return found
}

type TaskCardRow = Omit<TaskCard, 'priority' | 'assignee' | 'source'> & {
  readonly priority: number
  readonly assigneeKind: NonNullable<TaskCard['assignee']>['kind'] | null
  readonly assigneeId: string | null
  readonly sourceKind: TaskCard['source']['kind']
  readonly sourceId: string | null
  readonly sourceRunId: string | null
  readonly sourcePostId: string | null
}

/** All fields except the body, which can be long. */
const TASK_CARD_COLUMNS =
  raw(`id, team_id, title, status, position, priority, assignee_kind, assignee_id, parent_id, depth, source_kind, source_id,
  source_run_id, source_post_id, changes_files, attempts, cost_nanos AS cost_usd, changed_at, failed_at, cancelled_with,
  reason, open_blockers, attempt_id, attended_at, created_at, updated_at, started_at, ended_at`)

const TASK_COLUMNS = raw(`${TASK_CARD_COLUMNS.strings[0]}, body`)

const decode = rowDecoder<TaskCardRow>({
  json: ['cancelledWith'],
  booleans: ['changesFiles'],
  dollars: ['costUsd'],
})

function boardTask(row: { readonly body: string }): BoardTask {
  return { ...taskCard(row), body: row.body }
}

/** Lists every field, because leaving some out of a copy takes many times as long and a board has many cards. */
function taskCard(stored: object): TaskCard {
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
function priorityNumber(priority: TaskPriority): number {
  return TASK_PRIORITIES.indexOf(priority)
}
