import { quoteTitle, TASK_BODY_CHARACTERS } from '@clawboo/core/board'
import type { TaskComment } from '../store/repositories/board/task-comments-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import {
  type BoardActor,
  type BoardDependencies,
  changeBoard,
  lockTask,
  requestInvalid,
  wantTask,
} from './board-change.ts'

export interface NewComment {
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
