import { ClawbooError } from '@clawboo/core'
import {
  type BoardTask,
  findReasonProblem,
  judgeTransition,
  quoteTitle,
  STATUS_WORDS,
  type TaskStatus,
} from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import { lastPlace } from '../store/repositories/board/tasks-repository.ts'
import {
  type BoardActor,
  type BoardDependencies,
  changeBoard,
  lockTask,
  namedPerson,
  requestInvalid,
  taskNotFound,
  transitionBy,
  wantTask,
} from './board-change.ts'
import { settleDependents } from './dependents.ts'
import { demandDone, raiseChangedAt, writeSignOff } from './task-evidence.ts'

export interface TaskMove {
  readonly to: TaskStatus
  /** The reason; required for blocked. */
  readonly reason?: string | null
  /** The reason for marking it done without evidence. */
  readonly overrideReason?: string | null
  /** The task to place it before; null for the end of the column. Absent: the end when the column changes. */
  readonly beforeId?: string | null
  readonly signOff?: boolean
}

export interface MovedTask {
  readonly task: BoardTask
  /** Warnings for a person. */
  readonly warnings: readonly string[]
}

/** Moves a task and applies the consequences. Throws `illegal_transition` and the refusals of `judgeDone`. */
export async function moveTask(
  board: BoardDependencies,
  taskId: string,
  move: TaskMove,
  by: BoardActor,
): Promise<MovedTask> {
  const { teamId } = await wantTask(board.store, taskId, by)
  const action = move.signOff
    ? 'task.sign-off'
    : typeof move.overrideReason === 'string'
      ? 'task.override'
      : 'task.move'
  return changeBoard(board, { action, teamId, taskId, by }, async (tx) => {
    const task = await lockTask(tx, taskId)
    const at = (board.now ?? Date.now)()
    const { to } = move
    const verdict = judgeTransition(task.status, to, transitionBy(by, task))
    if (!verdict.ok)
      throw new ClawbooError(verdict.code, verdict.message, { details: { taskId, from: task.status, to } })
    const signOff = move.signOff ? await writeSignOff(tx, task, by, at) : null
    if (!verdict.changed) return stay(tx, task, move, signOff !== null, at)
    const lack = to === 'done' ? await demandDone(tx, task, by, move.overrideReason ?? null, at) : null
    const reason = reasonFor(to, move.reason ?? null, by)
    // Ends the claim of a running attempt, even when the task had already moved on.
    if (to === 'todo' || to === 'backlog' || to === 'cancelled') await tx.attempts.withdraw(taskId, at)
    const isTakenUp = task.status !== 'backlog' && task.status !== 'todo' && (to === 'todo' || to === 'backlog')
    const moved = await tx.tasks.save({
      ...task,
      status: to,
      reason,
      failedAt: null,
      cancelledWith: null,
      attemptId: null,
      changedAt: isTakenUp ? await raiseChangedAt(tx, task, at) : task.changedAt,
      attendedAt: namedPerson(by) ? at : task.attendedAt,
      endedAt: to === 'done' || to === 'cancelled' ? at : null,
      position: move.beforeId ? await placeInColumn(tx, task, to, move.beforeId) : lastPlace(at),
      updatedAt: at,
    })
    const followers = await settleDependents(tx, task, moved, at)
    const warnings = to === 'done' ? await openChildren(tx, moved) : []
    const detail = {
      from: task.status,
      to,
      reason,
      lack,
      warnings,
      also: followers.map(({ id, status }) => ({ id, status })),
    }
    const line = lineOf(moved, { lack, overrideReason: move.overrideReason ?? null, by, followers, warnings })
    return { result: { task: moved, warnings }, tasks: [moved, ...followers], line, detail }
  })
}

/** Changes the position or adds another sign-off; the status stays the same. */
async function stay(tx: Repositories, task: BoardTask, { beforeId }: TaskMove, isSigned: boolean, at: number) {
  const position =
    beforeId === undefined || beforeId === task.id
      ? task.position
      : beforeId === null
        ? lastPlace(at)
        : await placeInColumn(tx, task, task.status, beforeId)
  if (position === task.position && !isSigned) return { result: { task, warnings: [] }, tasks: [], line: '' }
  const saved = await tx.tasks.save({ ...task, position, updatedAt: at })
  const line = isSigned ? `${quoteTitle(task.title)} was approved again` : `${quoteTitle(task.title)} was reordered`
  return { result: { task: saved, warnings: [] }, tasks: [saved], line, detail: { position } }
}

function reasonFor(to: TaskStatus, reasonText: string | null, by: BoardActor): string | null {
  const who = namedPerson(by)?.name ?? 'the server'
  const reason = to === 'cancelled' ? (reasonText ?? `Cancelled by ${who}`) : reasonText
  const problem = findReasonProblem(to, reason)
  if (problem) throw requestInvalid(problem.field, problem.message)
  return reason
}

/** Open subtasks give a person a warning, not a refusal. */
async function openChildren(tx: Repositories, task: BoardTask): Promise<string[]> {
  const open = await tx.tasks.countLiveChildren(task.id)
  if (open === 0) return []
  return [open === 1 ? 'A subtask is still open.' : `${open} subtasks are still open.`]
}

function lineOf(
  task: BoardTask,
  move: {
    readonly lack: string | null
    readonly overrideReason: string | null
    readonly by: BoardActor
    readonly followers: readonly BoardTask[]
    readonly warnings: readonly string[]
  },
): string {
  const phrases = [`${quoteTitle(task.title)} is ${STATUS_WORDS[task.status]}`]
  if (move.lack !== null)
    phrases.push(`marked by ${namedPerson(move.by)?.name} without evidence: ${move.overrideReason}`)
  else if (task.reason !== null) phrases.push(task.reason)
  const cancelled = move.followers.filter(({ status }) => status === 'cancelled').length
  if (cancelled > 0) phrases.push(cancelled === 1 ? 'one more task with it' : `${cancelled} more tasks with it`)
  return [phrases.join('; '), ...move.warnings].join('. ')
}

/** Finds a position right before another task of the column. */
async function placeInColumn(
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
