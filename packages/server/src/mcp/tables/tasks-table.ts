import { ClawbooError } from '@clawboo/core'
import { type BoardTask, TASK_BODY_CHARACTERS, TASK_TITLE_CHARACTERS, type TaskAssignee } from '@clawboo/core/board'
import { z } from 'zod'
import type { BoardView } from '../../board/board-view.ts'
import type { RunVerdictBook } from '../../board/run-verdicts.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Caller } from '../caller.ts'
import { defineTool, type ToolTable } from '../tool-table.ts'
import { reportTools } from './report-tools.ts'
import { agentActor, boardActor, findAssignee, type TeamMembers, teamOf } from './task-caller.ts'
import { readTaskPage } from './task-pages.ts'
import {
  priority,
  shownComment,
  shownDetail,
  shownLine,
  status,
  TASK_NOTICE,
  taskComment,
  taskDetail,
  taskLine,
} from './task-shapes.ts'

interface TasksTableDependencies {
  readonly tasks: Tasks
  readonly view: Pick<BoardView, 'column' | 'task'>
  readonly members: TeamMembers
  readonly verdicts: Pick<RunVerdictBook, 'note'>
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const
const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const
const SETS = { ...ADDS, idempotentHint: true } as const

const taskId = z.string().min(1).max(100)
const team = z.strictObject({ team: z.string().min(1).max(200).describe('The id of the team that owns the board') })
const assignee = z.string().min(1).max(200).describe('A member of the team by id or name, or "me"')
const changesFiles = z.boolean().describe('Whether it edits the files of the team’s project')
const newTask = {
  title: z.string().min(1).max(TASK_TITLE_CHARACTERS).describe('One line'),
  body: z.string().max(TASK_BODY_CHARACTERS).optional().describe('What is wanted, and how to tell that it is done'),
  assignee: assignee.optional(),
  priority: priority.optional(),
  changesFiles: changesFiles.optional(),
  waitsFor: z.array(taskId).max(20).optional().describe('Ids of tasks that must be done first'),
  inBacklog: z.boolean().optional().describe('Do not start it yet'),
}
const oneTask = z.strictObject({ task: taskLine })

/** The board of the caller's team. */
export function createTasksTable(dependencies: TasksTableDependencies): ToolTable {
  return {
    name: 'tasks',
    instructions:
      'The board of your team: the tasks, their assignees and their results. Hand work over by creating a ' +
      `task; the server starts it. ${TASK_NOTICE}`,
    tools: [
      listTool(dependencies),
      getTool(dependencies),
      createTool(dependencies),
      createBelowTool(dependencies),
      claimTool(dependencies),
      updateTool(dependencies),
      ...reportTools(dependencies.verdicts),
      commentTool(dependencies),
    ],
  }
}

const listTool = ({ view }: TasksTableDependencies) =>
  defineTool({
    name: 'list_tasks',
    title: 'List tasks',
    description:
      'Lists tasks of the board. Without a status, leaves out done and cancelled tasks. For the next page, pass `next` as `after`.',
    input: z.strictObject({
      status: status.optional(),
      mine: z.boolean().default(false).describe('Only tasks that are assigned to you'),
      after: z.string().max(200).optional(),
      limit: z.int().min(1).max(50).default(20),
    }),
    operatorInput: team,
    output: z.strictObject({ notice: z.string(), tasks: z.array(taskLine), next: z.string().nullable() }),
    annotations: READS,
    async handler(caller, { status, mine, after, limit, team }) {
      const teamId = teamOf(caller, team)
      const page = await readTaskPage(view, {
        teamId,
        limit,
        ...(status && { status }),
        ...(after !== undefined && { after }),
        ...(mine && { ofAgent: agentActor(caller).id }),
      })
      return { notice: TASK_NOTICE, tasks: page.tasks.map((task) => shownLine(task)), next: page.next }
    },
  })

const getTool = ({ view }: TasksTableDependencies) =>
  defineTool({
    name: 'get_task',
    title: 'Read a task',
    description: 'Shows one task in full: its text, what it waits for, comments, evidence and attempts.',
    input: z.strictObject({ id: taskId, bodyFrom: z.int().min(0).max(TASK_BODY_CHARACTERS).default(0) }),
    output: taskDetail,
    annotations: READS,
    handler: async (caller, { id, bodyFrom }) => shownDetail(await view.task(id, boardActor(caller)), bodyFrom),
  })

const createTool = (dependencies: TasksTableDependencies) =>
  defineTool({
    name: 'create_task',
    title: 'Create a task',
    description:
      'Adds a task to the board; the server starts its assignee when the task is next. While you work on a task, ' +
      'the new one becomes its subtask. At most two levels, eight per run and 24 open subtasks per task.',
    input: z.strictObject(newTask),
    operatorInput: team,
    output: oneTask,
    annotations: ADDS,
    handler: (caller, { team, ...args }) => createTask(dependencies, caller, teamOf(caller, team), args, null),
  })

const createBelowTool = (dependencies: TasksTableDependencies) =>
  defineTool({
    name: 'create_subtask',
    title: 'Create a subtask',
    description:
      'Creates a subtask of the task you work on, or of the parent you name. The same limits apply as for create_task.',
    input: z.strictObject({ ...newTask, parent: taskId.optional() }),
    output: oneTask,
    annotations: ADDS,
    async handler(caller, { parent, ...args }) {
      const parentId = parent ?? (caller.kind === 'run' ? caller.taskId : null)
      if (parentId === null)
        throw new ClawbooError('request_invalid', 'this run has no task; name the parent, or use create_task')
      const { task } = await dependencies.view.task(parentId, boardActor(caller))
      return createTask(dependencies, caller, task.teamId, args, parentId)
    },
  })

interface NewTaskArguments {
  readonly title: string
  readonly body?: string | undefined
  readonly assignee?: string | undefined
  readonly priority?: BoardTask['priority'] | undefined
  readonly changesFiles?: boolean | undefined
  readonly waitsFor?: readonly string[] | undefined
  readonly inBacklog?: boolean | undefined
}

async function createTask(
  { tasks, members }: TasksTableDependencies,
  caller: Caller,
  teamId: string,
  { title, body, assignee, priority, changesFiles, waitsFor, inBacklog }: NewTaskArguments,
  parentId: string | null,
): Promise<z.input<typeof oneTask>> {
  const by = boardActor(caller)
  const newAssignee: TaskAssignee | null = (await findAssignee(members, caller, teamId, assignee)) ?? null
  const wanted = {
    teamId,
    title,
    parentId,
    assignee: newAssignee,
    ...(body !== undefined && { body }),
    ...(priority && { priority }),
    ...(changesFiles !== undefined && { changesFiles }),
    ...(waitsFor && { blockerIds: waitsFor }),
    ...(inBacklog && { status: 'backlog' as const }),
  }
  return { task: shownLine(await tasks.create(wanted, by)) }
}

const claimTool = ({ tasks }: TasksTableDependencies) =>
  defineTool({
    name: 'claim_task',
    title: 'Claim a task',
    description:
      'Assigns an unassigned task in to do to you. You do not start it in this run: the server ' +
      'starts it in its own run when the task is next. A conflict means that it belongs to someone else or is not in to do; ' +
      'do not try again.',
    input: z.strictObject({ id: taskId }),
    output: z.strictObject({
      outcome: z.enum(['yours', 'conflict']),
      reason: z.string().nullable(),
      task: taskLine.nullable(),
    }),
    annotations: SETS,
    async handler(caller, { id }) {
      const taken = await tasks.take(id, agentActor(caller))
      if (!taken.taken) return { outcome: 'conflict' as const, reason: taken.reason, task: null }
      return { outcome: 'yours' as const, reason: null, task: shownLine(taken.task) }
    },
  })

const updateTool = ({ tasks, view, members }: TasksTableDependencies) =>
  defineTool({
    name: 'update_task',
    title: 'Change a task',
    description: 'Changes the text, priority or assignee of a task. An agent can change only tasks that it created.',
    input: z.strictObject({
      id: taskId,
      title: newTask.title.optional(),
      body: newTask.body,
      priority: priority.optional(),
      assignee: assignee.nullable().optional().describe('A member by id or name, or "me"; null: unassigned'),
      changesFiles: changesFiles.optional(),
    }),
    output: oneTask,
    annotations: { ...SETS, destructiveHint: true },
    async handler(caller, { id, assignee, ...fields }) {
      const by = boardActor(caller)
      const { task } = await view.task(id, by)
      const newAssignee = await findAssignee(members, caller, task.teamId, assignee)
      const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
      if (newAssignee === undefined && Object.keys(changes).length === 0)
        throw new ClawbooError('request_invalid', 'name at least one thing to change')
      return {
        task: shownLine(
          await tasks.patch(id, { ...changes, ...(newAssignee !== undefined && { assignee: newAssignee }) }, by),
        ),
      }
    },
  })

const commentTool = ({ tasks }: TasksTableDependencies) =>
  defineTool({
    name: 'comment_task',
    title: 'Comment on a task',
    description: 'Comments on a task for the next attempt. A comment may refer to a line of the diff.',
    input: z.strictObject({
      id: taskId,
      body: z.string().min(1).max(TASK_BODY_CHARACTERS),
      file: z.string().min(1).max(4096).optional(),
      line: z.int().min(1).optional(),
    }),
    output: z.strictObject({ comment: taskComment }),
    annotations: ADDS,
    async handler(caller, { id, body, file = null, line = null }) {
      return { comment: shownComment(await tasks.comment(id, { body, file, line }, boardActor(caller))) }
    },
  })
