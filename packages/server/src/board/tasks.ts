import type { BoardTask, DelegationCaps, Evidence, TaskLink } from '@clawboo/core/board'
import type { TaskComment } from '../store/repositories/board/task-comments-repository.ts'
import type { AgentActor, BoardActor, BoardDependencies } from './board-change.ts'
import { commentTask, type NewComment } from './comment-task.ts'
import { createTask, type NewTask } from './create-task.ts'
import { linkTasks, unlinkTasks } from './link-tasks.ts'
import { type MovedTask, moveTask, type TaskMove } from './move-task.ts'
import { patchTask, type TaskPatch } from './patch-task.ts'
import { type TakeOutcome, takeTask } from './take-task.ts'
import { addEvidence, noteChange, type SeenEvidence } from './task-evidence.ts'

/**
 * Manual changes of tasks. Every refusal is a `ClawbooError`: `task_not_found` (also for another team's task),
 * `task_not_yours`, `request_invalid` with the problems by field, and the codes below.
 */
export interface Tasks {
  /** Throws `team_not_found`, `agent_not_found`, `delegation_limit`. */
  create(task: NewTask, by: BoardActor): Promise<BoardTask>
  /** Throws `agent_not_found`, and `task_conflict` for a new assignee while an agent works on the task. */
  patch(taskId: string, patch: TaskPatch, by: BoardActor): Promise<BoardTask>
  /** Assigns an unassigned task to the agent. Losing is not an error. */
  take(taskId: string, by: AgentActor): Promise<TakeOutcome>
  /** Throws `illegal_transition`; for `done` also `evidence_missing`, `evidence_stale`, `check_failed`. */
  move(taskId: string, move: Omit<TaskMove, 'signOff' | 'overrideReason'>, by: BoardActor): Promise<MovedTask>
  /** Approves the task under a person's name and marks it done. Throws `evidence_refused`, `illegal_transition`. */
  signOff(taskId: string, by: BoardActor): Promise<MovedTask>
  /** Marks a task done without evidence, for a person. Throws `override_refused`, `illegal_transition`. */
  override(taskId: string, reason: string, by: BoardActor): Promise<MovedTask>
  /** Throws `dependency_cycle`. Resolves to the waiting task. */
  link(link: TaskLink, by: BoardActor): Promise<BoardTask>
  unlink(link: TaskLink, by: BoardActor): Promise<BoardTask>
  comment(taskId: string, comment: NewComment, by: BoardActor): Promise<TaskComment>
  /** For the host. Throws `evidence_refused`. */
  addEvidence(taskId: string, seen: SeenEvidence, attemptId?: string | null): Promise<Evidence>
  /** For the host: the work changed, so earlier evidence no longer counts. */
  noteChange(taskId: string, at: number): Promise<BoardTask>
}

export function createTasks(board: BoardDependencies, caps?: DelegationCaps): Tasks {
  return {
    create: (task, by) => createTask(board, task, by, caps),
    patch: (taskId, patch, by) => patchTask(board, taskId, patch, by),
    take: (taskId, by) => takeTask(board, taskId, by),
    move: (taskId, { to, reason, beforeId }, by) =>
      moveTask(board, taskId, { to, reason: reason ?? null, ...(beforeId === undefined ? {} : { beforeId }) }, by),
    signOff: (taskId, by) => moveTask(board, taskId, { to: 'done', signOff: true }, by),
    override: (taskId, reason, by) => moveTask(board, taskId, { to: 'done', overrideReason: reason }, by),
    link: (link, by) => linkTasks(board, link, by),
    unlink: (link, by) => unlinkTasks(board, link, by),
    comment: (taskId, comment, by) => commentTask(board, taskId, comment, by),
    addEvidence: (taskId, seen, attemptId) => addEvidence(board, taskId, seen, attemptId),
    noteChange: (taskId, at) => noteChange(board, taskId, at),
  }
}
