import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as board from './schemas/board.ts'
import * as workplaces from './schemas/workplaces.ts'

const teamParams = z.object({ teamId: idSchema })
const taskParams = z.object({ taskId: idSchema })

/** What work there is, who does it and what came of it. */
export const BOARD_OPERATIONS = {
  readBoard: {
    tag: 'Board',
    summary: "A team's board: every column, why tasks wait and who works on what",
    params: teamParams,
    query: board.boardQuerySchema,
    response: board.boardSchema,
    errors: ['team_not_found'],
  },
  readBoardColumn: {
    tag: 'Board',
    summary: 'More of one column, behind a card',
    params: board.columnParamsSchema,
    query: board.columnQuerySchema,
    response: board.columnPageSchema,
    errors: ['team_not_found'],
  },
  createTask: {
    tag: 'Board',
    summary: 'Make a task',
    params: teamParams,
    body: board.createTaskSchema,
    response: board.boardTaskSchema,
    status: 201,
    errors: ['team_not_found', 'agent_not_found', 'task_not_found'],
  },
  getTask: {
    tag: 'Board',
    summary: 'One task with its links, comments, evidence and attempts',
    params: taskParams,
    response: board.taskDetailSchema,
    errors: ['task_not_found'],
  },
  updateTask: {
    tag: 'Board',
    summary: 'Change what is asked for, of whom, and how urgently',
    params: taskParams,
    body: board.updateTaskSchema,
    response: board.boardTaskSchema,
    errors: ['task_not_found', 'agent_not_found', 'task_conflict'],
  },
  moveTask: {
    tag: 'Board',
    summary: 'Move a task to another column or to another place; `done` needs evidence',
    params: taskParams,
    body: board.moveTaskSchema,
    response: board.movedTaskSchema,
    errors: ['task_not_found', 'illegal_transition', 'evidence_missing', 'evidence_stale', 'check_failed'],
  },
  signOffTask: {
    tag: 'Board',
    summary: 'Put your name under it; with that it is done',
    params: taskParams,
    response: board.movedTaskSchema,
    errors: ['task_not_found', 'illegal_transition', 'evidence_refused', 'check_failed'],
  },
  overrideTask: {
    tag: 'Board',
    summary: 'Say that it is done without evidence; who said so and why stays with it',
    params: taskParams,
    body: board.overrideTaskSchema,
    response: board.movedTaskSchema,
    errors: ['task_not_found', 'illegal_transition', 'override_refused'],
  },
  linkTask: {
    tag: 'Board',
    summary: 'Let a task wait for another one of its team',
    params: taskParams,
    body: board.linkTaskSchema,
    response: board.boardTaskSchema,
    errors: ['task_not_found', 'dependency_cycle'],
  },
  unlinkTask: {
    tag: 'Board',
    summary: 'Let a task no longer wait for another one',
    params: z.object({ taskId: idSchema, blockerId: idSchema }),
    response: board.boardTaskSchema,
    errors: ['task_not_found'],
  },
  commentTask: {
    tag: 'Board',
    summary: 'Say something about a task, or about a line of what it changed',
    params: taskParams,
    body: board.commentTaskSchema,
    response: board.taskCommentSchema,
    status: 201,
    errors: ['task_not_found'],
  },
  takeBackTask: {
    tag: 'Board',
    summary: 'Stop the work on a task; it goes to the backlog, where nothing starts it',
    params: taskParams,
    response: board.takenBackSchema,
    errors: ['task_not_found', 'illegal_transition'],
  },
  readTaskDiff: {
    tag: 'Board',
    summary: 'What the newest attempt changed in the project',
    params: taskParams,
    response: workplaces.taskDiffSchema,
    errors: ['task_not_found', 'workplace_refused'],
  },
  mergeTask: {
    tag: 'Board',
    summary: 'Take what a task changed over into the project; it is not done by that',
    params: taskParams,
    response: workplaces.taskMergeSchema,
    errors: ['task_not_found', 'task_conflict', 'workplace_refused'],
  },
  cleanUpTask: {
    tag: 'Board',
    summary: 'Remove the workplaces of a task that hold nothing the project has not; the others stay',
    params: taskParams,
    response: workplaces.taskCleanUpSchema,
    errors: ['task_not_found', 'task_conflict'],
  },
  checkTask: {
    tag: 'Board',
    summary: "Run the team's check where the task worked, as evidence; answers when it has ended",
    params: taskParams,
    response: workplaces.taskCheckSchema,
    errors: ['task_not_found', 'task_conflict', 'workplace_refused', 'evidence_refused'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
