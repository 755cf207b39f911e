import { ClawbooError } from '@clawboo/core'
import {
  type BoardTask,
  type DelegationCaps,
  findTaskProblems,
  quoteTitle,
  STATUS_WORDS,
  TASK_BODY_CHARACTERS,
  type TaskAssignee,
  type TaskLink,
  type TaskPriority,
} from '@clawboo/core/board'
import type { TaskComment } from '../store/repositories/board/task-comments-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import {
  type AgentActor,
  type BoardActor,
  type BoardDependencies,
  changeBoard,
  isOwn,
  lockTask,
  requestInvalid,
  wantTask,
} from './board-change.ts'
import { checkAssignee, createTask, type NewTask, refuseProblems } from './create-task.ts'
import { linkTasks, unlinkTasks } from './link-tasks.ts'
import { moveTask, type TaskMove } from './move-task.ts'
import { addEvidence, noteChange, raiseChangedAt, type SeenEvidence } from './task-evidence.ts'

export type Tasks = ReturnType<typeof createTasks>

/**
 * Manual changes of tasks. Every refusal is a `ClawbooError`: `task_not_found` (also for another team's task),
 * `task_not_yours`, `request_invalid` with the problems by field, and the codes below.
 */
export function createTasks(board: BoardDependencies, caps?: DelegationCaps) {
  return {
    /** Throws `team_not_found`, `agent_not_found`, `delegation_limit`. */
    create: (task: NewTask, by: BoardActor) => createTask(board, task, by, caps),
    /** Throws `agent_not_found`, and `task_conflict` for a new assignee while an agent works on the task. */
    patch: (taskId: string, patch: TaskPatch, by: BoardActor) => patchTask(board, taskId, patch, by),
    /** Assigns an unassigned task to the agent. A conflict is a result, not an error. */
    take: (taskId: string, by: AgentActor) => takeTask(board, taskId, by),
    /** Throws `illegal_transition`; for `done` also `evidence_missing`, `evidence_stale`, `check_failed`. */
    move: (taskId: string, { to, reason, beforeId }: Omit<TaskMove, 'signOff' | 'overrideReason'>, by: BoardActor) =>
      moveTask(board, taskId, { to, reason: reason ?? null, ...(beforeId === undefined ? {} : { beforeId }) }, by),
    /** Approves the task under a person's name and marks it done. Throws `evidence_refused`, `illegal_transition`. */
    signOff: (taskId: string, by: BoardActor) => moveTask(board, taskId, { to: 'done', signOff: true }, by),
    /** Marks a task done without evidence, for a person. Throws `override_refused`, `illegal_transition`. */
    override: (taskId: string, reason: string, by: BoardActor) =>
      moveTask(board, taskId, { to: 'done', overrideReason: reason }, by),
    /** Throws `dependency_cycle`. Resolves to the waiting task. */
    link: (link: TaskLink, by: BoardActor) => linkTasks(board, link, by),
    unlink: (link: TaskLink, by: BoardActor) => unlinkTasks(board, link, by),
    comment: (taskId: string, comment: NewComment, by: BoardActor) => commentTask(board, taskId, comment, by),
    /** Stores evidence that the host observed. Throws `evidence_refused`. */
    addEvidence: (taskId: string, seen: SeenEvidence, attemptId?: string | null) =>
      addEvidence(board, taskId, seen, attemptId),
    /** Records that the work changed, so earlier evidence no longer counts. For the host only. */
    noteChange: (taskId: string, at: number) => noteChange(board, taskId, at),
  }
}

type TakeOutcome =
  | { readonly taken: true; readonly task: BoardTask }
  /** The task is assigned to someone else, or is not in To do. Do not try again. */
  | { readonly taken: false; readonly code: 'task_conflict'; readonly reason: string }

/** Assigns an unassigned task to the agent without starting it; it stays in the queue. */
async function takeTask(board: BoardDependencies, taskId: string, by: AgentActor): Promise<TakeOutcome> {
  const { teamId } = await wantTask(board.store, taskId, by)
  return changeBoard<TakeOutcome>(board, { action: 'task.take', teamId, taskId, by }, async (tx) => {
    const task = await lockTask(tx, taskId)
    const nothing = { tasks: [], line: '' }
    if (task.status !== 'todo') return { result: conflict(`the task is ${STATUS_WORDS[task.status]}`), ...nothing }
    if (isOwn(by, task)) return { result: { taken: true, task }, ...nothing }
    if (task.assignee !== null) return { result: conflict('it is assigned to someone else'), ...nothing }
    const assignee = { kind: 'agent', id: by.id } as const
    const saved = await tx.tasks.save({ ...task, assignee, updatedAt: (board.now ?? Date.now)() })
    const line = `${quoteTitle(saved.title)}: the assignee changed`
    return { result: { taken: true, task: saved }, tasks: [saved], line, detail: { assignee } }
  })
}

function conflict(reason: string): TakeOutcome {
  return { taken: false, code: 'task_conflict', reason }
}

interface NewComment {
  readonly body: string
  /** The line of the task's diff that the comment refers to. */
  readonly file?: string | null
  readonly line?: number | null
}

const FILE_CHARACTERS = 4096

export async function commentTask(
  board: BoardDependencies,
  taskId: string,
  { body, file = null, line = null }: NewComment,
  by: BoardActor,
): Promise<TaskComment> {
  refuseUnreadable(body, file, line)
  const { teamId } = await wantTask(board.store, taskId, by)
  return changeBoard(board, { action: 'task.comment', teamId, taskId, by }, async (tx) => {
    const task = await lockTask(tx, taskId)
    const at = (board.now ?? Date.now)()
    const author = { kind: by.kind, id: by.kind === 'person' || by.kind === 'agent' ? by.id : null }
    const runId = by.kind === 'agent' ? by.runId : null
    const comment: TaskComment = { id: sortableId(at), taskId, author, runId, body, file, line, createdAt: at }
    await tx.taskComments.insert(comment)
    const saved = await tx.tasks.save({ ...task, updatedAt: at })
    const detail = { commentId: comment.id, file, line }
    return { result: comment, tasks: [saved], line: `A comment on ${quoteTitle(task.title)}`, detail }
  })
}

function refuseUnreadable(body: unknown, file: unknown, line: unknown): void {
  if (!isText(body, TASK_BODY_CHARACTERS) || body.trim() === '')
    throw requestInvalid('body', `A comment must have 1 to ${TASK_BODY_CHARACTERS} characters.`)
  if (file !== null && (!isText(file, FILE_CHARACTERS) || file === ''))
    throw requestInvalid('file', 'The file must be a path.')
  if (line !== null && (file === null || !Number.isSafeInteger(line) || (line as number) < 1))
    throw requestInvalid('line', 'The line must be a number of 1 or more, in a file.')
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && !value.includes('\0') && value.isWellFormed()
}

/** Fields to overwrite; absent fields stay unchanged. */
export interface TaskPatch {
  readonly title?: string
  readonly body?: string
  readonly priority?: TaskPriority
  readonly assignee?: TaskAssignee | null
  readonly changesFiles?: boolean
}

async function patchTask(
  board: BoardDependencies,
  taskId: string,
  { title, body, priority, assignee, changesFiles }: TaskPatch,
  by: BoardActor,
): Promise<BoardTask> {
  const wanted = { title, body, priority, assignee, changesFiles }
  refuseProblems(findTaskProblems(wanted, 'patch'))
  const { teamId } = await wantTask(board.store, taskId, by)
  return changeBoard(board, { action: 'task.update', teamId, taskId, by }, async (tx) => {
    const task = await lockTask(tx, taskId)
    refuseStranger(task, by)
    const changes = Object.entries(wanted).filter(([, value]) => value !== undefined)
    const patch = Object.fromEntries(changes.filter(([key, value]) => !isSame(task[key as keyof TaskPatch], value)))
    const fields = Object.keys(patch)
    if (fields.length === 0) return { result: task, tasks: [], line: '' }
    if (patch.assignee !== undefined || patch.changesFiles !== undefined) refuseHeld(task)
    if (assignee) await checkAssignee(tx, assignee)
    const at = (board.now ?? Date.now)()
    // Evidence for the earlier text does not count for the new one.
    const isRewritten = patch.title !== undefined || patch.body !== undefined
    const changedAt = isRewritten ? await raiseChangedAt(tx, task, at) : task.changedAt
    const saved = await tx.tasks.save({ ...task, ...patch, changedAt, updatedAt: at })
    const line = `${quoteTitle(saved.title)}: ${fields.map((field) => FIELD_WORDS[field]).join(', ')} changed`
    return { result: saved, tasks: [saved], line, detail: { fields } }
  })
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  title: 'the title',
  body: 'the description',
  priority: 'the priority',
  assignee: 'the assignee',
  changesFiles: 'whether it edits files',
}

function isSame(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    typeof value === 'object' && value !== null
      ? `${(value as TaskAssignee).kind}:${(value as TaskAssignee).id}`
      : value
  return text(a) === text(b)
}

/** Refuses an agent that did not create the task. */
function refuseStranger(task: BoardTask, by: BoardActor): void {
  if (by.kind !== 'agent' || (task.source.kind === 'agent' && task.source.id === by.id)) return
  throw new ClawbooError('task_not_yours', 'an agent can change only a task that it created', {
    details: { taskId: task.id },
  })
}

function refuseHeld(task: BoardTask): void {
  if (task.status !== 'in_progress') return
  throw new ClawbooError('task_conflict', 'an agent is working on the task; take the task back first', {
    details: { taskId: task.id },
  })
}
