import type { TaskStatus } from './transitions.ts'

/** One piece of work of a team. Times are epoch ms. */
export interface Task {
  readonly id: string
  readonly teamId: string
  readonly title: string
  readonly body: string
  readonly status: TaskStatus
  readonly priority: TaskPriority
  /** null = nobody has been asked to do it. */
  readonly assignee: TaskAssignee | null
  readonly parentId: string | null
  /** How many parents it has above it. */
  readonly depth: number
  readonly source: TaskSource
  /** Whether it works on the team's project. */
  readonly changesFiles: boolean
  /** How often it was claimed: the number of its newest attempt. */
  readonly attempts: number
  /** What its attempts took together; null = no attempt had a known price. */
  readonly costUsd: number | null
  /** The newest change of what evidence speaks of; null = nothing was changed. */
  readonly changedAt: number | null
  /** When its work failed for good: it is blocked until a person takes it up again. null = it has not. */
  readonly failedAt: number | null
  /** Set while it is cancelled only because of a task it waited for: then it comes back with that one. */
  readonly cancelledWith: CancelledWith | null
  /** Why it is blocked or cancelled, for a person; null in every other status. */
  readonly reason: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** When it was first claimed. */
  readonly startedAt: number | null
  readonly endedAt: number | null
}

export type TaskPriority = 'low' | 'normal' | 'high' | 'urgent'

/** The most pressing last. */
export const TASK_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly TaskPriority[]

export interface TaskAssignee {
  readonly kind: 'agent' | 'person'
  readonly id: string
}

/** Who asked for it. */
export interface TaskSource {
  readonly kind: 'operator' | 'person' | 'agent'
  /** null for the operator. */
  readonly id: string | null
  readonly runId: string | null
  readonly postId: string | null
}

export interface CancelledWith {
  readonly blockerId: string
  /** What it was before. */
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

/** What is wrong with what somebody said of a task. A new one needs a title; a patch holds only what it changes. */
export function findTaskProblems(said: unknown, as: 'new' | 'patch'): readonly TaskProblem[] {
  if (typeof said !== 'object' || said === null || Array.isArray(said))
    return [{ field: 'task', message: 'A task is an object.' }]
  return Object.entries(CHECKS).flatMap(([field, check]) => {
    const value = (said as Record<string, unknown>)[field]
    if (value === undefined && !(as === 'new' && field === 'title')) return []
    const message = check(value)
    return message === null ? [] : [{ field, message }]
  })
}

/** A task that is blocked or cancelled says why; no other one does. */
export function findReasonProblem(status: TaskStatus, reason: unknown): TaskProblem | null {
  const needed = status === 'blocked' || status === 'cancelled'
  const message = needed
    ? textProblem('reason', reason, TASK_REASON_CHARACTERS, 'needed')
    : reason === null || reason === undefined
      ? null
      : 'Only a task that is blocked or cancelled has a reason.'
  return message === null ? null : { field: 'reason', message }
}

const CHECKS: Readonly<Record<string, (value: unknown) => string | null>> = {
  title: titleProblem,
  body: (value) => textProblem('body', value, TASK_BODY_CHARACTERS, 'may be empty'),
  priority: (value) =>
    (TASK_PRIORITIES as readonly unknown[]).includes(value)
      ? null
      : `The priority is one of ${TASK_PRIORITIES.join(', ')}.`,
  assignee: (value) =>
    value === null || isAssignee(value) ? null : 'The assignee is an agent or a person with an id.',
  changesFiles: (value) => (typeof value === 'boolean' ? null : 'changesFiles is true or false.'),
  parentId: (value) => (value === null || isId(value) ? null : 'The parent is the id of a task.'),
}

function titleProblem(value: unknown): string | null {
  const problem = textProblem('title', value, TASK_TITLE_CHARACTERS, 'needed')
  if (problem !== null) return problem
  // A title is quoted in reasons and in the room, where a second line would read as somebody else's.
  return /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u.test(value as string)
    ? 'The title is one line without control characters.'
    : null
}

function textProblem(field: string, value: unknown, most: number, emptiness: 'needed' | 'may be empty'): string | null {
  if (typeof value !== 'string') return `The ${field} is a text.`
  if (emptiness === 'needed' && value.replace(/[\s\p{Cf}]/gu, '') === '') return `The ${field} is empty.`
  if (value.length > most) return `The ${field} has ${value.length} characters; at most ${most} fit.`
  // No engine below the store keeps these the same.
  return value.includes('\0') || !value.isWellFormed() ? `The ${field} holds characters that cannot be kept.` : null
}

function isAssignee(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id } = value as { kind?: unknown; id?: unknown }
  return (kind === 'agent' || kind === 'person') && isId(id)
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 200
}
