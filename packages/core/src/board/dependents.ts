import { groupBlockers, groupDependents, type TaskLink } from './dependencies.ts'
import { quoteTitle } from './quote-title.ts'
import { hasFailed } from './readiness.ts'
import type { CancelledWith, Task } from './task.ts'
import type { TaskStatus } from './transitions.ts'

export type DependentTask = Pick<Task, 'id' | 'title' | 'status' | 'failedAt' | 'reason' | 'cancelledWith'>

/** The change of a task because of one of its blockers. */
export interface DependentChange {
  readonly taskId: string
  readonly status: TaskStatus
  readonly reason: string | null
  readonly cancelledWith: CancelledWith | null
}

/**
 * Cancels the tasks that wait for a failed or cancelled task, directly or indirectly, if they have not begun. `tasks`
 * contains the stopped task in its new state.
 */
export function cancelDependents(
  stoppedId: string,
  tasks: readonly DependentTask[],
  links: readonly TaskLink[],
): readonly DependentChange[] {
  const board = new Map(tasks.map((task) => [task.id, task]))
  const stopped = board.get(stoppedId)
  if (!stopped || !isStopped(stopped)) return []
  const dependents = groupDependents(links)
  const changes: DependentChange[] = []
  const blockers = [stopped]
  for (const blocker of blockers) {
    for (const id of dependents.get(blocker.id) ?? []) {
      const task = board.get(id)
      const was = task && pendingStatus(task)
      if (!task || !was) continue
      const cancelledWith = { blockerId: blocker.id, status: was, reason: task.reason }
      const next: DependentTask = { ...task, status: 'cancelled', reason: reasonFor(blocker), cancelledWith }
      board.set(id, next)
      blockers.push(next)
      changes.push(changeTo(next))
    }
  }
  return changes
}

/**
 * Restores the tasks that were cancelled only because of a task that is now reopened. A task with another failed or
 * cancelled blocker stays cancelled because of that one. `tasks` contains the reopened task in its new state.
 */
export function reopenDependents(
  reopenedId: string,
  tasks: readonly DependentTask[],
  links: readonly TaskLink[],
): readonly DependentChange[] {
  const board = new Map(tasks.map((task) => [task.id, task]))
  const reopened = board.get(reopenedId)
  if (!reopened || isStopped(reopened)) return []
  const dependents = groupDependents(links)
  const blockers = groupBlockers(links)
  const touched = new Set<string>()
  const back = [reopenedId]
  for (const blockerId of back) {
    for (const id of dependents.get(blockerId) ?? []) {
      const task = board.get(id)
      const was = task?.cancelledWith
      if (task?.status !== 'cancelled' || was?.blockerId !== blockerId) continue
      const other = firstStopped(blockers.get(id) ?? [], board)
      board.set(
        id,
        other
          ? { ...task, reason: reasonFor(other), cancelledWith: { ...was, blockerId: other.id } }
          : { ...task, status: was.status, reason: was.reason, cancelledWith: null },
      )
      touched.add(id)
      if (!other) back.push(id)
    }
  }
  return [...touched].map((id) => changeTo(board.get(id)!))
}

/** Whether only a person can restart the task. */
function isStopped(task: DependentTask): boolean {
  return task.status === 'cancelled' || hasFailed(task)
}

function pendingStatus(task: DependentTask): CancelledWith['status'] | null {
  if (task.status === 'backlog' || task.status === 'todo') return task.status
  return task.status === 'blocked' && !hasFailed(task) ? 'blocked' : null
}

function firstStopped(ids: readonly string[], board: ReadonlyMap<string, DependentTask>): DependentTask | null {
  const stopped = ids.flatMap((id) => board.get(id) ?? []).filter(isStopped)
  return stopped.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0] ?? null
}

function reasonFor(blocker: DependentTask): string {
  return `${quoteTitle(blocker.title)} ${hasFailed(blocker) ? 'failed' : 'was cancelled'}`
}

function changeTo({ id, status, reason, cancelledWith }: DependentTask): DependentChange {
  return { taskId: id, status, reason, cancelledWith }
}
