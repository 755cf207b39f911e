import { text as readAll } from 'node:stream/consumers'
import type { Client, OperationOutput } from '@clawboo/api/client'
import {
  type Evidence,
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskAssignee,
  type TaskCard,
  type TaskPriority,
  type TaskStatus,
} from '@clawboo/core/board'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { resolveAgent, resolveTask, resolveTeam } from '../resolve-name.ts'
import { demandServer, withClient } from '../server/running-server.ts'
import { formatColumns } from '../terminal/format-columns.ts'
import { visibleText } from '../terminal/visible-text.ts'

export const tasksCommand: Command = {
  name: 'tasks',
  summary: 'list and manage tasks',
  actions: [
    {
      name: 'list',
      summary: 'Lists the tasks of one team or of all teams, by column.',
      options: {
        team: { type: 'text', value: 'team', summary: 'only this team' },
        status: { type: 'text', value: 'status', summary: `only these: ${TASK_STATUSES.join(', ')}` },
      },
      run: list,
    },
    { name: 'show', summary: 'Shows one task in full.', parameters: ['<task>'], run: withClient(show) },
    {
      name: 'add',
      summary: 'Creates a task.',
      parameters: ['<team>', '<title>'],
      options: {
        for: { type: 'text', value: 'agent', summary: 'the Boo that does it' },
        body: { type: 'text', value: 'text', summary: 'the description; - reads standard input' },
        priority: { type: 'text', value: 'priority', summary: TASK_PRIORITIES.join(', ') },
        after: { type: 'texts', value: 'task', summary: 'a task that must be done first' },
        files: { type: 'flag', summary: "it edits the team's project files" },
        backlog: { type: 'flag', summary: 'put it in the backlog, so it does not start' },
      },
      run: add,
    },
    {
      name: 'move',
      summary: `Moves a task to another column: ${TASK_STATUSES.join(', ')}.`,
      parameters: ['<task>', '<status>'],
      options: { reason: { type: 'text', value: 'text', summary: 'why; required for blocked' } },
      run: move,
    },
    {
      name: 'comment',
      summary: 'Comments on a task, for the next attempt; - reads standard input.',
      parameters: ['<task>', '<text>'],
      run: withClient(comment),
    },
    {
      name: 'sign-off',
      summary: 'Approves a task under your name and marks it done.',
      parameters: ['<task>'],
      run: withClient(signOff),
    },
    {
      name: 'take-back',
      summary: 'Stops work on a task and moves it to the backlog.',
      parameters: ['<task>'],
      run: withClient(takeBack),
    },
  ],
  examples: [
    'tasks --team "Night shift" --status todo',
    'tasks add "Night shift" "Read the logs" --for Ada --priority high',
    'tasks move "Read the logs" blocked --reason "The disk is full"',
    'tasks sign-off "Read the logs"',
  ],
  notes: ['Name a task by its id, or by its title if that is unique.'],
}

/** The maximum number of tasks listed per column. */
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

async function show(client: Client, args: Arguments): Promise<Outcome> {
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
  return done(task, `Created the task ${task.id}`)
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

async function comment(client: Client, args: Arguments, context: Context): Promise<Outcome> {
  const { id: taskId, title } = await resolveTask(client, args.needed(0))
  const typed = args.needed(1)
  const body = typed === '-' ? await readAll(context.stdin) : typed
  if (body.trim() === '') throw wrongUsage('the comment is empty')
  const made = await client.commentTask({ params: { taskId }, body: { body } })
  return done(made, `Commented "${visibleText(title)}"`)
}

async function signOff(client: Client, args: Arguments): Promise<Outcome> {
  const { id: taskId } = await resolveTask(client, args.needed(0))
  const answer = await client.signOffTask({ params: { taskId } })
  return done(answer, movedText(answer))
}

async function takeBack(client: Client, args: Arguments): Promise<Outcome> {
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

/** A task for a person gets a person as its assignee, so that the dispatcher does not start it. */
async function assigneeNamed(client: Client, typed: string | undefined): Promise<TaskAssignee | null> {
  if (typed === undefined) return null
  const { id, participantKind } = await resolveAgent(client, typed)
  return { kind: participantKind === 'human' ? 'person' : 'agent', id }
}

type Board = OperationOutput<'readBoard'> & { readonly team: { readonly id: string; readonly name: string } }
type TaskDetail = OperationOutput<'getTask'>

/** Returns a Boo's name, or its id when the Boo is unknown. */
export type NameOf = (agentId: string) => string

export async function readNames(client: Client): Promise<NameOf> {
  const { agents } = await client.listAgents({ query: { includeArchived: 'true' } })
  const names = new Map(agents.map((agent) => [agent.id, agent.displayName]))
  return (agentId) => names.get(agentId) ?? agentId
}

/** One line per task, by column. */
function boardText(boards: readonly Board[], nameOf: NameOf): string {
  const rows = boards.flatMap((board) =>
    board.columns.flatMap(({ tasks }) => tasks.map((task) => row(board, task, nameOf))),
  )
  if (rows.length === 0) return 'No tasks'
  const more = boards.some(({ columns }) => columns.some(({ hasMore }) => hasMore))
  const head = ['STATUS', 'PRIORITY', 'ASSIGNEE', 'TITLE', 'TEAM', 'ID', '']
  return [formatColumns([head, ...rows]), ...(more ? ['There are more tasks; the page shows all of them'] : [])].join(
    '\n',
  )
}

function row({ team, waits }: Board, task: TaskCard, nameOf: NameOf): string[] {
  const wait = waits.find(({ taskId }) => taskId === task.id)
  const note = wait?.reason ?? task.reason ?? ''
  return [task.status, task.priority, assigneeName(task.assignee, nameOf), task.title, team.name, task.id, note]
}

function taskText(detail: TaskDetail, nameOf: NameOf): string {
  const { task, wait, lack, evidence, attempts, comments, overrides } = detail
  const facts = [
    ['Task', task.title],
    ['Id', task.id],
    ['Status', task.reason === null ? task.status : `${task.status}: ${task.reason}`],
    ['Priority', task.priority],
    ['Assignee', assigneeName(task.assignee, nameOf)],
    ['Waiting', wait?.reason ?? '-'],
    ['Missing', lack?.message ?? '-'],
    ['Cost', task.costUsd === null ? '-' : `$${task.costUsd.toFixed(4)}`],
    ...links('Waits for', detail.blockers),
    ...links('Blocks', detail.dependents),
    ...links('Subtask', detail.children),
    ...attempts.map(({ number, agentId, state, runId, reason }) => [
      `Attempt ${number}`,
      [nameOf(agentId), state, runId ?? '-', ...(reason === null ? [] : [reason])].join(', '),
    ]),
    ...evidence.map((item) => ['Evidence', `${time(item.at)}, ${evidenceText(item)}`]),
    ...overrides.map(({ by, at, reason }) => ['Override', `${time(at)}, ${by.name}: ${reason}`]),
  ]
  const commentTexts = comments.map(({ author, createdAt, file, line, body }) => {
    const place = file === null ? '' : `, ${file}${line === null ? '' : `:${line}`}`
    return `\n${visibleText(`${author.id === null ? author.kind : nameOf(author.id)}, ${time(createdAt)}${place}`)}\n${visibleText(body)}`
  })
  const body = task.body === '' ? [] : [`\n${visibleText(task.body)}`]
  return [formatColumns(facts), ...body, ...commentTexts].join('\n')
}

function links(label: string, tasks: TaskDetail['blockers']): string[][] {
  return tasks.map(({ title, status, id }) => [label, `${title} (${status}) ${id}`])
}

function assigneeName(assignee: TaskAssignee | null, nameOf: NameOf): string {
  return assignee === null ? '-' : nameOf(assignee.id)
}

function evidenceText(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'check':
      return `check ${evidence.exitCode === 0 ? 'passed' : 'failed'}: ${evidence.command}`
    case 'sign-off':
      return `signed off by ${evidence.person.name}`
    case 'artefact':
      return `artefact ${evidence.path}`
    case 'diff':
      return `changes ${evidence.sha256.slice(0, 12)}`
  }
}

function time(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
