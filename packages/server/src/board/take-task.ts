import { type BoardTask, quoteTitle, STATUS_WORDS } from '@clawboo/core/board'
import { type AgentActor, type BoardDependencies, changeBoard, isOwn, lockTask, wantTask } from './board-change.ts'

export type TakeOutcome =
  | { readonly taken: true; readonly task: BoardTask }
  /** The task is assigned to someone else, or is not in to do. Do not try again. */
  | { readonly taken: false; readonly code: 'task_conflict'; readonly reason: string }

/** Assigns an unassigned task to the agent without starting it; it stays in the queue. */
export async function takeTask(board: BoardDependencies, taskId: string, by: AgentActor): Promise<TakeOutcome> {
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
