import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as board from './schemas/board.ts'
import { evidenceSchema, listOf } from './schemas/board.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const lineNumber = z.number().int()

const diffFileSchema = z
  .object({
    path: z.string(),
    oldPath: z.string().nullable().describe('Its earlier path, when it was renamed'),
    change: z.enum(['added', 'changed', 'removed', 'renamed', 'retyped']),
    oldMode: z.string().nullable(),
    newMode: z.string().nullable(),
    isBinary: z.boolean(),
    hunks: listOf(
      z.object({
        oldStart: lineNumber,
        oldLines: lineNumber,
        newStart: lineNumber,
        newLines: lineNumber,
        lines: listOf(
          z.object({
            kind: z.enum(['same', 'added', 'removed']),
            text: z.string(),
            isOpen: z.boolean().optional().describe('A last line without a line end'),
          }),
        ),
      }),
    ),
    isCut: z.boolean(),
  })
  .meta({ id: 'DiffFile' })

const worktreeDiffSchema = z
  .object({
    files: listOf(diffFileSchema),
    fileCount: z.number().int().describe('The number of changed files, even when fewer are listed'),
    isCut: z.boolean(),
    sha256: z.string().describe('For the whole diff, even when parts are cut'),
    changedAt: epochMs.nullable(),
    repositories: listOf(z.string()).describe('Folders that are repositories of their own; not compared'),
  })
  .meta({ id: 'WorktreeDiff' })

const worktreeSchema = z
  .object({
    attempt: z.number().int(),
    folder: z.string(),
    branch: z.string().nullable().describe('null = a copy of a plain folder'),
  })
  .meta({ id: 'Worktree', description: 'The folder where an attempt edited files.' })

export const taskDiffSchema = z
  .object({
    worktree: worktreeSchema.nullable().describe('The worktree of the newest attempt that has one; null = none exists'),
    diff: worktreeDiffSchema.nullable().describe('null also while an agent works there'),
  })
  .meta({ id: 'TaskDiff' })

export const taskMergeSchema = z
  .object({
    how: z
      .enum(['fast-forward', 'merge-commit', 'applied', 'nothing'])
      .describe('`nothing`: the project already contains everything. `applied`: into a plain folder'),
    commit: z.string().nullable().describe("The new commit of the project's branch; null for a plain folder"),
    files: listOf(z.string()),
  })
  .meta({ id: 'TaskMerge' })

export const taskCleanUpSchema = z
  .object({
    worktrees: listOf(
      z.object({
        attempt: z.number().int().describe('The first attempt that worked there'),
        outcome: z.enum(['removed', 'nothing', 'parked', 'refused']),
        folder: z.string().nullable().describe('Its path, when it stays'),
        because: z.string().nullable().describe('Why it stays'),
      }),
    ),
  })
  .meta({ id: 'TaskCleanUp' })

export const taskCheckSchema = z
  .object({
    command: z.string(),
    exitCode: z.number().int().nullable().describe('null = it did not finish'),
    end: z.enum(['exited', 'killed', 'timed-out', 'aborted']),
    output: z.string().describe('Its beginning and end'),
    omittedBytes: z.number().int(),
    startedAt: epochMs,
    endedAt: epochMs,
    evidence: evidenceSchema.describe('As stored with the task'),
  })
  .meta({ id: 'TaskCheck' })

const teamParams = z.object({ teamId: idSchema })
const taskParams = z.object({ taskId: idSchema })

/** Operations of the board: tasks, assignees and results. */
export const BOARD_OPERATIONS = {
  readBoard: {
    tag: 'Board',
    summary: "Read a team's board: every column, why tasks wait and which agents work on them",
    params: teamParams,
    query: board.boardQuerySchema,
    response: board.boardSchema,
    errors: ['team_not_found'],
  },
  readBoardColumn: {
    tag: 'Board',
    summary: 'Read the next page of one column, after a card',
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
    summary: 'Read one task with its links, comments, evidence and attempts',
    params: taskParams,
    response: board.taskDetailSchema,
    errors: ['task_not_found'],
  },
  updateTask: {
    tag: 'Board',
    summary: 'Change the text, assignee or priority of a task',
    params: taskParams,
    body: board.updateTaskSchema,
    response: board.boardTaskSchema,
    errors: ['task_not_found', 'agent_not_found', 'task_conflict'],
  },
  moveTask: {
    tag: 'Board',
    summary: 'Move a task to another column or place; `done` needs evidence',
    params: taskParams,
    body: board.moveTaskSchema,
    response: board.movedTaskSchema,
    errors: ['task_not_found', 'illegal_transition', 'evidence_missing', 'evidence_stale', 'check_failed'],
  },
  signOffTask: {
    tag: 'Board',
    summary: 'Approve a task under your name and mark it done',
    params: taskParams,
    response: board.movedTaskSchema,
    errors: ['task_not_found', 'illegal_transition', 'evidence_refused', 'check_failed'],
  },
  overrideTask: {
    tag: 'Board',
    summary: 'Mark a task done without evidence; your name and reason stay with the task',
    params: taskParams,
    body: board.overrideTaskSchema,
    response: board.movedTaskSchema,
    errors: ['task_not_found', 'illegal_transition', 'override_refused'],
  },
  linkTask: {
    tag: 'Board',
    summary: 'Make a task wait for another task of its team',
    params: taskParams,
    body: board.linkTaskSchema,
    response: board.boardTaskSchema,
    errors: ['task_not_found', 'dependency_cycle'],
  },
  unlinkTask: {
    tag: 'Board',
    summary: 'Stop a task from waiting for another one',
    params: z.object({ taskId: idSchema, blockerId: idSchema }),
    response: board.boardTaskSchema,
    errors: ['task_not_found'],
  },
  commentTask: {
    tag: 'Board',
    summary: 'Comment on a task, or on a line of its diff',
    params: taskParams,
    body: board.commentTaskSchema,
    response: board.taskCommentSchema,
    status: 201,
    errors: ['task_not_found'],
  },
  takeBackTask: {
    tag: 'Board',
    summary: 'Stop work on a task and move it to the backlog, where nothing starts it',
    params: taskParams,
    response: board.takenBackSchema,
    errors: ['task_not_found', 'illegal_transition'],
  },
  readTaskDiff: {
    tag: 'Board',
    summary: 'Read the changes of the newest attempt',
    params: taskParams,
    response: taskDiffSchema,
    errors: ['task_not_found', 'worktree_refused'],
  },
  mergeTask: {
    tag: 'Board',
    summary: "Merge a task's changes into the project; this does not mark the task done",
    params: taskParams,
    response: taskMergeSchema,
    errors: ['task_not_found', 'task_conflict', 'worktree_refused'],
  },
  cleanUpTask: {
    tag: 'Board',
    summary: 'Remove the worktrees of a task whose changes are all in the project; the others stay',
    params: taskParams,
    response: taskCleanUpSchema,
    errors: ['task_not_found', 'task_conflict'],
  },
  checkTask: {
    tag: 'Board',
    summary: "Run the team's check in the task's worktree, as evidence; responds when the check has ended",
    params: taskParams,
    response: taskCheckSchema,
    errors: ['task_not_found', 'task_conflict', 'worktree_refused', 'evidence_refused'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
