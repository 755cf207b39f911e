import { text as readAll } from 'node:stream/consumers'
import type { Client } from '@clawboo/api/client'
import {
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskAssignee,
  type TaskPriority,
  type TaskStatus,
} from '@clawboo/core/board'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { type Arguments, wrongUsage } from '../parse-arguments.ts'
import { resolveAgent, resolveTask, resolveTeam } from '../resolve-name.ts'
import { demandServer } from '../running-server.ts'
import { boardText, readNames, taskText } from '../task-text.ts'
import { visibleText } from '../visible-text.ts'

export const tasksCommand: Command = {
  name: 'tasks',
  summary: 'see and steer the work of a team',
  actions: [
    {
      name: 'list',
      summary: 'The tasks of a team, or of every team, column by column.',
      options: {
        team: { type: 'text', value: 'team', summary: 'only of this team' },
        status: { type: 'text', value: 'status', summary: `only these: ${TASK_STATUSES.join(', ')}` },
      },
      run: list,
    },
    { name: 'show', summary: 'One task with all that belongs to it.', parameters: ['<task>'], run: show },
    {
      name: 'add',
      summary: 'Makes a task.',
      parameters: ['<team>', '<title>'],
      options: {
        for: { type: 'text', value: 'agent', summary: 'the Boo that does it' },
        body: { type: 'text', value: 'text', summary: 'what is asked for; - reads the input' },
        priority: { type: 'text', value: 'priority', summary: TASK_PRIORITIES.join(', ') },
        after: { type: 'texts', value: 'task', summary: 'a task that has to be done before' },
        files: { type: 'flag', summary: "it works on the team's project" },
        backlog: { type: 'flag', summary: 'nothing starts it yet' },
      },
      run: add,
    },
    {
      name: 'move',
      summary: `Moves a task to another column: ${TASK_STATUSES.join(', ')}.`,
      parameters: ['<task>', '<status>'],
      options: { reason: { type: 'text', value: 'text', summary: 'why; blocked needs one' } },
      run: move,
    },
    {
      name: 'comment',
      summary: 'Says something about a task, for the next attempt at it; - reads the input.',
      parameters: ['<task>', '<text>'],
      run: comment,
    },
    {
      name: 'sign-off',
      summary: 'Puts your name under it; with that it is done.',
      parameters: ['<task>'],
      run: signOff,
    },
    {
      name: 'take-back',
      summary: 'Stops the work on a task and puts it into the backlog.',
      parameters: ['<task>'],
      run: takeBack,
    },
  ],
  examples: [
    'tasks --team "Night shift" --status todo',
    'tasks add "Night shift" "Read the logs" --for Ada --priority high',
    'tasks move "Read the logs" blocked --reason "The disk is full"',
    'tasks sign-off "Read the logs"',
  ],
  notes: ['A task is named by its id, or by its title when only one has it.'],
}

/** Most of a column that is listed. */
const CARDS = 500

async function list(args: Arguments, { config }: Context): Promise<Outcome> {
  const wanted = args.text('status')
  const status = wanted === undefined ? null : statusNamed(wanted, '--status')
  const { client } = await demandServer(config)
  const team = args.text('team')
  const teams = team === undefined ? (await client.listTeams({})).teams : [await resolveTeam(client, team)]
  const boards = []
  for (const { id, name } of teams) {
    const board = await client.readBoard({ params: { teamId: id }, query: { limit: CARDS } })
    const columns = board.columns.filter((column) => status === null || column.status === status)
    boards.push({ team: { id, name }, ...board, columns })
  }
  return done({ boards }, boardText(boards, await readNames(client)))
}

async function show(args: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const { id } = await resolveTask(client, args.needed(0))
  const detail = await client.getTask({ params: { taskId: id } })
  return done(detail, taskText(detail, await readNames(client)))
}

async function add(args: Arguments, context: Context): Promise<Outcome> {
  const priority = priorityNamed(args.text('priority'))
  const { client } = await demandServer(context.config)
  const { id: teamId } = await resolveTeam(client, args.needed(0))
  const assignee = await assigneeNamed(client, args.text('for'))
  const blockers = await Promise.all(args.texts('after').map((typed) => resolveTask(client, typed)))
  const typed = args.text('body')
  const text = typed === '-' ? await readAll(context.stdin) : typed
  const task = await client.createTask({
    params: { teamId },
    body: {
      title: args.needed(1),
      ...(text === undefined ? {} : { body: text }),
      ...(priority === undefined ? {} : { priority }),
      ...(args.flag('backlog') ? { status: 'backlog' } : {}),
      assignee,
      changesFiles: args.flag('files'),
      blockerIds: blockers.map(({ id }) => id),
    },
  })
  return done(task, `Made the task ${task.id}`)
}

async function move(args: Arguments, { config }: Context): Promise<Outcome> {
  const to = statusNamed(args.needed(1), '<status>')
  const reason = args.text('reason')
  const { client } = await demandServer(config)
  const { id: taskId } = await resolveTask(client, args.needed(0))
  const answer = await client.moveTask({
    params: { taskId },
    body: { to, ...(reason === undefined ? {} : { reason }) },
  })
  return done(answer, movedText(answer))
}

async function comment(args: Arguments, context: Context): Promise<Outcome> {
  const { client } = await demandServer(context.config)
  const { id: taskId, title } = await resolveTask(client, args.needed(0))
  const typed = args.needed(1)
  const body = typed === '-' ? await readAll(context.stdin) : typed
  if (body.trim() === '') throw wrongUsage('there is nothing to say')
  const made = await client.commentTask({ params: { taskId }, body: { body } })
  return done(made, `Commented "${visibleText(title)}"`)
}

async function signOff(args: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const { id: taskId } = await resolveTask(client, args.needed(0))
  const answer = await client.signOffTask({ params: { taskId } })
  return done(answer, movedText(answer))
}

async function takeBack(args: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const { id: taskId } = await resolveTask(client, args.needed(0))
  const answer = await client.takeBackTask({ params: { taskId } })
  return done(answer, movedText({ task: answer.task, warnings: [] }))
}

function movedText({ task, warnings }: { task: { title: string; status: TaskStatus }; warnings: readonly string[] }) {
  return [`"${visibleText(task.title)}" is now ${task.status}`, ...warnings].join('\n')
}

function statusNamed(typed: string, place: string): TaskStatus {
  const status = TASK_STATUSES.find((known) => known === typed.replace('-', '_'))
  if (status) return status
  throw wrongUsage(`${place} takes ${TASK_STATUSES.join(', ')}, not "${typed}"`)
}

function priorityNamed(typed: string | undefined): TaskPriority | undefined {
  if (typed === undefined) return undefined
  const priority = TASK_PRIORITIES.find((known) => known === typed)
  if (priority) return priority
  throw wrongUsage(`--priority takes ${TASK_PRIORITIES.join(', ')}, not "${typed}"`)
}

/** A Boo that stands for a person is asked as one: nothing starts what a person does. */
async function assigneeNamed(client: Client, typed: string | undefined): Promise<TaskAssignee | null> {
  if (typed === undefined) return null
  const { id, participantKind } = await resolveAgent(client, typed)
  return { kind: participantKind === 'human' ? 'person' : 'agent', id }
}
