import type { Client, OperationOutput } from '@clawboo/api/client'
import type { Evidence, TaskAssignee, TaskCard } from '@clawboo/core/board'
import { formatColumns } from '../terminal/format-columns.ts'
import { visibleText } from '../terminal/visible-text.ts'

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
export function boardText(boards: readonly Board[], nameOf: NameOf): string {
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

export function taskText(detail: TaskDetail, nameOf: NameOf): string {
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
