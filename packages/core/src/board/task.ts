import type { TaskStatus } from './transitions.ts'

/** One task of a team. Times are epoch ms. */
export interface Task {
  readonly id: string
  readonly teamId: string
  readonly title: string
  readonly body: string
  readonly status: TaskStatus
  readonly priority: TaskPriority
  /** null when unassigned. */
  readonly assignee: TaskAssignee | null
  readonly parentId: string | null
  /** The number of its ancestors. */
  readonly depth: number
  readonly source: TaskSource
  /** Whether it edits the team's project files. */
  readonly changesFiles: boolean
  /** The number of claims, which is the number of its newest attempt. */
  readonly attempts: number
  /** The total cost of its attempts; null when no attempt had a known price. */
  readonly costUsd: number | null
  /** The time of the newest change of the work; older evidence does not count. null when nothing was changed. */
  readonly changedAt: number | null
  /** When its work failed: it stays blocked until a person reopens it. null when it has not failed. */
  readonly failedAt: number | null
  /** Set while it is cancelled only because of a blocker; reopening the blocker restores it. */
  readonly cancelledWith: CancelledWith | null
  /** Why it is blocked or cancelled, for people; null in every other status. */
  readonly reason: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** When it was first claimed. */
  readonly startedAt: number | null
  readonly endedAt: number | null
}

export type TaskPriority = 'low' | 'normal' | 'high' | 'urgent'

/** Highest priority last. */
export const TASK_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly TaskPriority[]

export interface TaskAssignee {
  readonly kind: 'agent' | 'person'
  readonly id: string
}

/** The author of a task. */
export interface TaskSource {
  readonly kind: 'operator' | 'person' | 'agent'
  /** null for the operator. */
  readonly id: string | null
  readonly runId: string | null
  readonly postId: string | null
}

export interface CancelledWith {
  readonly blockerId: string
  /** The status before the cancellation. */
  readonly status: 'backlog' | 'todo' | 'blocked'
  readonly reason: string | null
}

export const TASK_TITLE_CHARACTERS = 200
export const TASK_BODY_CHARACTERS = 65_536
export const TASK_REASON_CHARACTERS = 2_000

export interface TaskProblem {
  readonly field: string
  readonly message: string
}

/** Lists the problems of a task's fields. A new task needs a title; a patch contains only changed fields. */
export function findTaskProblems(fields: unknown, as: 'new' | 'patch'): readonly TaskProblem[] {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return [{ field: 'task', message: 'A task must be an object.' }]
  return Object.entries(CHECKS).flatMap(([field, check]) => {
    const value = (fields as Record<string, unknown>)[field]
    if (value === undefined && !(as === 'new' && field === 'title')) return []
    const message = check(value)
    return message === null ? [] : [{ field, message }]
  })
}

/** Only a blocked or cancelled task has a reason, and it needs one. */
export function findReasonProblem(status: TaskStatus, reason: unknown): TaskProblem | null {
  const needed = status === 'blocked' || status === 'cancelled'
  const message = needed
    ? textProblem('reason', reason, TASK_REASON_CHARACTERS, 'needed')
    : reason === null || reason === undefined
      ? null
      : 'Only a blocked or cancelled task has a reason.'
  return message === null ? null : { field: 'reason', message }
}

const CHECKS: Readonly<Record<string, (value: unknown) => string | null>> = {
  title: titleProblem,
  body: (value) => textProblem('body', value, TASK_BODY_CHARACTERS, 'may be empty'),
  priority: (value) =>
    (TASK_PRIORITIES as readonly unknown[]).includes(value)
      ? null
      : `The priority must be one of ${TASK_PRIORITIES.join(', ')}.`,
  assignee: (value) =>
    value === null || isAssignee(value) ? null : 'The assignee must be an agent or a person with an id.',
  changesFiles: (value) => (typeof value === 'boolean' ? null : 'changesFiles must be true or false.'),
  parentId: (value) => (value === null || isId(value) ? null : 'The parent must be the id of a task.'),
}

function titleProblem(value: unknown): string | null {
  const problem = textProblem('title', value, TASK_TITLE_CHARACTERS, 'needed')
  if (problem !== null) return problem
  // Titles are quoted in reasons and in the room, where a second line would look like another author's.
  return /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u.test(value as string)
    ? 'The title must be one line without control characters.'
    : null
}

function textProblem(field: string, value: unknown, most: number, emptiness: 'needed' | 'may be empty'): string | null {
  if (typeof value !== 'string') return `The ${field} must be text.`
  if (emptiness === 'needed' && value.replace(/[\s\p{Cf}]/gu, '') === '') return `The ${field} is empty.`
  if (value.length > most) return `The ${field} has ${value.length} characters; the maximum is ${most}.`
  // Not every database stores these unchanged.
  return value.includes('\0') || !value.isWellFormed()
    ? `The ${field} contains characters that cannot be stored.`
    : null
}

function isAssignee(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id } = value as { kind?: unknown; id?: unknown }
  return (kind === 'agent' || kind === 'person') && isId(id)
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 200
}

/** A task on its team's board. */
export interface BoardTask extends Task {
  /** The number of its blockers that are not done. */
  readonly openBlockers: number
  /** The active attempt; null unless the task is in progress. */
  readonly attemptId: string | null
  /** The task's place in its column, smallest first. */
  readonly position: number
  /** When a person last moved it. */
  readonly attendedAt: number | null
}

/** The part of a task that a column shows. */
export type TaskCard = Omit<BoardTask, 'body'>
