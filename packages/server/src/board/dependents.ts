import {
  type BoardTask,
  cancelDependents,
  type DependentChange,
  hasFailed,
  reopenDependents,
  type TaskLink,
} from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import { lastPlace } from '../store/repositories/board/tasks-repository.ts'

/**
 * Applies a task's change of status to the tasks that wait for it and, after a cancellation, to its subtasks. `after`
 * is already written. Resolves to every other changed task.
 */
export async function settleDependents(
  tx: Repositories,
  before: BoardTask,
  after: BoardTask,
  at: number,
): Promise<BoardTask[]> {
  const changed = new Map<string, BoardTask>()
  if (isStopped(before) !== isStopped(after)) {
    const { tasks, links } = await readNeighbourhood(tx, after)
    const judge = isStopped(after) ? cancelDependents : reopenDependents
    for (const task of await applyChanges(tx, judge(after.id, tasks, links), tasks, at)) changed.set(task.id, task)
  }
  if ((before.status === 'done') !== (after.status === 'done')) {
    const waiting = (await tx.taskLinks.from([after.id])).map(({ blockedId }) => blockedId)
    for (const task of await tx.tasks.recountBlockers(waiting)) changed.set(task.id, task)
  }
  return [...changed.values()]
}

/** Restores a task that was cancelled because of a blocker that is now unlinked. The link is already removed. */
export async function settleUnlinked(tx: Repositories, link: TaskLink, at: number): Promise<BoardTask[]> {
  const [blocker] = await tx.tasks.getMany([link.blockerId])
  const [blocked] = await tx.tasks.getMany([link.blockedId])
  if (!blocker || blocked?.cancelledWith?.blockerId !== link.blockerId) return []
  const { tasks, links } = await readNeighbourhood(tx, blocked)
  // Treats the blocker as reopened, but only for the task that is now unlinked.
  const free: BoardTask = { ...blocker, status: 'todo', failedAt: null }
  const others = tasks.filter(({ id }) => id !== free.id)
  const linksLeft = [...links.filter(({ blockerId }) => blockerId !== free.id), link]
  return applyChanges(tx, reopenDependents(free.id, [...others, free], linksLeft), others, at)
}

/** Returns whether only a person can restart the task. */
function isStopped(task: BoardTask): boolean {
  return task.status === 'cancelled' || hasFailed(task)
}

/**
 * Reads every task that directly or indirectly waits for this one, and all their blockers; locks them until the
 * transaction ends. A subtask is cancelled with its parent as if it waited for it, but not when the parent failed: then
 * a person decides.
 */
async function readNeighbourhood(
  tx: Repositories,
  task: BoardTask,
): Promise<{ tasks: BoardTask[]; links: TaskLink[] }> {
  const parents = new Map<string, string>()
  const behind = new Set([task.id])
  for (let edge = [task.id]; edge.length > 0; ) {
    const children = await tx.tasks.children(edge)
    for (const { id, parentId } of children) parents.set(id, parentId!)
    const next = [...(await tx.taskLinks.from(edge)).map(({ blockedId }) => blockedId), ...children.map(({ id }) => id)]
    edge = [...new Set(next)].filter((id) => !behind.has(id))
    for (const id of edge) behind.add(id)
  }
  const waits = await tx.taskLinks.into([...behind])
  const tasks = await tx.tasks.lock([...behind, ...waits.map(({ blockerId }) => blockerId)])
  const failed = new Set(tasks.filter(hasFailed).map(({ id }) => id))
  const below = [...parents].map(([blockedId, blockerId]) => ({ blockerId, blockedId }))
  return { tasks, links: [...waits, ...below.filter(({ blockerId }) => !failed.has(blockerId))] }
}

async function applyChanges(
  tx: Repositories,
  changes: readonly DependentChange[],
  tasks: readonly BoardTask[],
  at: number,
): Promise<BoardTask[]> {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const saved: BoardTask[] = []
  for (const { taskId, status, reason, cancelledWith } of changes) {
    const task = known.get(taskId)!
    const endedAt = status === 'cancelled' ? (task.endedAt ?? at) : null
    const position = status === task.status ? task.position : lastPlace(at)
    saved.push(await tx.tasks.save({ ...task, status, reason, cancelledWith, endedAt, position, updatedAt: at }))
  }
  return saved
}
