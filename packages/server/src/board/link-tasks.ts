import { ClawbooError } from '@clawboo/core'
import { type BoardTask, judgeLink, quoteTitle, type TaskLink } from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import {
  type AgentActor,
  type BoardActor,
  type BoardDependencies,
  changeBoard,
  isOwn,
  taskNotFound,
  wantTask,
} from './board-change.ts'
import { settleUnlinked } from './dependents.ts'

/** Makes `blockedId` wait for `blockerId`. Throws `dependency_cycle`. Resolves to the waiting task. */
export async function linkTasks(board: BoardDependencies, link: TaskLink, by: BoardActor): Promise<BoardTask> {
  const { teamId } = await wantTask(board.store, link.blockedId, by)
  return changeBoard(board, { action: 'task.link', teamId, taskId: link.blockedId, by }, async (tx) => {
    const { blocker, blocked } = await lockBoth(tx, link)
    refuseStranger(by, blocked, isOwn)
    const verdict = judgeLink(await linksBehind(tx, link), link)
    if (!verdict.ok) throw new ClawbooError('dependency_cycle', verdict.message, { details: { ...link } })
    if (!verdict.changed) return { result: blocked, tasks: [], line: '' }
    const at = (board.now ?? Date.now)()
    await tx.taskLinks.insert(link, at)
    const saved = await touch(tx, blocked, at)
    const line = `${quoteTitle(blocked.title)} waits for ${quoteTitle(blocker.title)}`
    return { result: saved, tasks: [saved], line, detail: link }
  })
}

/** Removing a missing link changes nothing. Resolves to the task that waited. */
export async function unlinkTasks(board: BoardDependencies, link: TaskLink, by: BoardActor): Promise<BoardTask> {
  const { teamId } = await wantTask(board.store, link.blockedId, by)
  return changeBoard(board, { action: 'task.unlink', teamId, taskId: link.blockedId, by }, async (tx) => {
    const { blocker, blocked } = await lockBoth(tx, link)
    refuseStranger(by, blocked, () => false)
    if (!(await tx.taskLinks.remove(link))) return { result: blocked, tasks: [], line: '' }
    const at = (board.now ?? Date.now)()
    const followers = await settleUnlinked(tx, link, at)
    const saved = await touch(tx, followers.find(({ id }) => id === blocked.id) ?? blocked, at)
    const others = followers.filter(({ id }) => id !== saved.id)
    const line = `${quoteTitle(blocked.title)} no longer waits for ${quoteTitle(blocker.title)}`
    return { result: saved, tasks: [saved, ...others], line, detail: link }
  })
}

async function lockBoth(
  tx: Repositories,
  { blockerId, blockedId }: TaskLink,
): Promise<{ blocker: BoardTask; blocked: BoardTask }> {
  const found = new Map((await tx.tasks.lock([blockerId, blockedId])).map((task) => [task.id, task]))
  const [blocker, blocked] = [found.get(blockerId), found.get(blockedId)]
  if (!blocked) throw taskNotFound(blockedId)
  // Links stay within one team, so the team's lock prevents concurrent cycles.
  if (blocker?.teamId !== blocked.teamId) throw taskNotFound(blockerId)
  return { blocker, blocked }
}

/** An agent may link and unlink the tasks that it created, and may make its own task wait. */
function refuseStranger(by: BoardActor, task: BoardTask, mayAlso: (by: AgentActor, task: BoardTask) => boolean): void {
  if (by.kind !== 'agent' || (task.source.kind === 'agent' && task.source.id === by.id) || mayAlso(by, task)) return
  throw new ClawbooError(
    'task_not_yours',
    'an agent can unlink only a task that it created, and can make only its own task wait',
    {
      details: { taskId: task.id },
    },
  )
}

/** Every link that can be reached from the waiting task: only these can close a cycle. */
async function linksBehind(tx: Repositories, { blockerId, blockedId }: TaskLink): Promise<TaskLink[]> {
  const links: TaskLink[] = (await tx.taskLinks.into([blockedId])).filter((link) => link.blockerId === blockerId)
  const seen = new Set([blockedId])
  for (let edge = [blockedId]; edge.length > 0; ) {
    const next = await tx.taskLinks.from(edge)
    links.push(...next)
    edge = [...new Set(next.map((link) => link.blockedId))].filter((id) => !seen.has(id))
    for (const id of edge) seen.add(id)
  }
  return links
}

async function touch(tx: Repositories, task: BoardTask, at: number): Promise<BoardTask> {
  const saved = await tx.tasks.save({ ...task, updatedAt: at })
  return (await tx.tasks.recountBlockers([task.id]))[0] ?? saved
}
