import { ClawbooError } from '@clawboo/core'
import { type BoardTask, findTaskProblems, quoteTitle, type TaskAssignee, type TaskPriority } from '@clawboo/core/board'
import { type BoardActor, type BoardDependencies, changeBoard, lockTask, wantTask } from './board-change.ts'
import { checkAssignee, refuseProblems } from './create-task.ts'
import { raiseChangedAt } from './task-evidence.ts'

/** Fields to overwrite; absent fields stay unchanged. */
export interface TaskPatch {
  readonly title?: string
  readonly body?: string
  readonly priority?: TaskPriority
  readonly assignee?: TaskAssignee | null
  readonly changesFiles?: boolean
}

export async function patchTask(
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
    // Evidence for the earlier request does not count for the new one.
    const isAskedAnew = patch.title !== undefined || patch.body !== undefined
    const changedAt = isAskedAnew ? await raiseChangedAt(tx, task, at) : task.changedAt
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

/** An agent may rewrite its own requests, not those made to it. */
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
