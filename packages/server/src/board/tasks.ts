import type { DelegationCaps, TaskLink } from '@clawboo/core/board'
import type { AgentActor, BoardActor, BoardDependencies } from './board-change.ts'
import { commentTask, type NewComment } from './comment-task.ts'
import { createTask, type NewTask } from './create-task.ts'
import { linkTasks, unlinkTasks } from './link-tasks.ts'
import { moveTask, type TaskMove } from './move-task.ts'
import { patchTask, type TaskPatch } from './patch-task.ts'
import { takeTask } from './take-task.ts'
import { addEvidence, noteChange, type SeenEvidence } from './task-evidence.ts'

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
    /** Assigns an unassigned task to the agent. Losing is not an error. */
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
    /** For the host. Throws `evidence_refused`. */
    addEvidence: (taskId: string, seen: SeenEvidence, attemptId?: string | null) =>
      addEvidence(board, taskId, seen, attemptId),
    /** For the host: the work changed, so earlier evidence no longer counts. */
    noteChange: (taskId: string, at: number) => noteChange(board, taskId, at),
  }
}
