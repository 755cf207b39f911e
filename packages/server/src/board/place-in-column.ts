import type { BoardTask, TaskStatus } from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import { taskNotFound } from './board-change.ts'

/** Finds a position right before another task of the column. */
export async function placeInColumn(
  tx: Repositories,
  task: Pick<BoardTask, 'teamId'>,
  status: TaskStatus,
  beforeId: string,
): Promise<number> {
  const place = await between(tx, task.teamId, status, beforeId)
  if (place !== null) return place
  await tx.tasks.spreadColumn(task.teamId, status)
  return (await between(tx, task.teamId, status, beforeId))!
}

/** Returns null when there is no room left. */
async function between(tx: Repositories, teamId: string, status: TaskStatus, beforeId: string): Promise<number | null> {
  const next = await tx.tasks.get(beforeId)
  if (next?.teamId !== teamId || next.status !== status) throw taskNotFound(beforeId)
  const previous = await tx.tasks.placeBefore(teamId, status, next)
  if (previous === null) return next.position - ROOM
  const middle = Math.floor((previous + next.position) / 2)
  return middle > previous && middle < next.position ? middle : null
}

const ROOM = 1024
