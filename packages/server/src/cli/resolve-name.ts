import { ApiError, type Client, type OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import type { TaskCard } from '@clawboo/core/board'
import { closestWord } from './closest-word.ts'
import { wrongUsage } from './parse-arguments.ts'

type Agent = OperationOutput<'getAgent'>
type Team = OperationOutput<'listTeams'>['teams'][number]

const CANDIDATES_SHOWN = 10

/** Finds an agent by its id, or by its name if that is unique. */
export async function resolveAgent(client: Client, typed: string): Promise<Agent> {
  const { agents } = await client.listAgents({ query: { includeArchived: 'true' } })
  const found = agents.find((agent) => agent.id === typed)
  if (found) return found
  const live = agents.filter((agent) => agent.archivedAt === null)
  return resolveByName('agent', typed, live, (agent) => agent.displayName)
}

export async function resolveTeam(client: Client, typed: string): Promise<Team> {
  const { teams } = await client.listTeams({})
  return teams.find((team) => team.id === typed) ?? resolveByName('team', typed, teams, (team) => team.name)
}

/** Finds a task by its id, or by its title if that is unique among all teams. */
export async function resolveTask(client: Client, typed: string): Promise<Pick<TaskCard, 'id' | 'title'>> {
  try {
    return (await client.getTask({ params: { taskId: typed } })).task
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'task_not_found')) throw error
  }
  const { teams } = await client.listTeams({})
  const boards = await Promise.all(
    teams.map(({ id }) => client.readBoard({ params: { teamId: id }, query: { text: typed, limit: 500 } })),
  )
  const cards = boards.flatMap(({ columns }) => columns.flatMap(({ tasks }) => tasks))
  const [match, ...more] = cards.filter(({ title }) => fold(title) === fold(typed))
  if (!match) throw new ClawbooError('task_not_found', `there is no task "${typed}"; \`clawboo tasks\` lists them`)
  if (more.length === 0) return match
  const ids = [match, ...more].map(({ id }) => id)
  throw wrongUsage(`${ids.length} tasks are called "${typed}"; use an id: ${listed(ids)}`)
}

function resolveByName<T extends { readonly id: string }>(
  kind: 'agent' | 'team',
  typed: string,
  known: readonly T[],
  nameOf: (one: T) => string,
): T {
  const exact = known.filter((one) => nameOf(one) === typed)
  const matches = exact.length > 0 ? exact : known.filter((one) => fold(nameOf(one)) === fold(typed))
  if (matches.length > 1)
    throw wrongUsage(
      `${matches.length} ${kind}s are called "${typed}"; use an id: ${listed(matches.map((one) => one.id))}`,
    )
  const [match] = matches
  if (match) return match
  const names = known.map(nameOf)
  const meant = closestWord(typed, names)
  const hint = meant ? `did you mean "${meant}"?` : names.length > 0 ? `known: ${listed(names)}` : 'there are none yet'
  throw new ClawbooError(`${kind}_not_found`, `there is no ${kind} "${typed}"; ${hint}`)
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function listed(words: readonly string[]): string {
  const more = words.length - CANDIDATES_SHOWN
  return words.slice(0, CANDIDATES_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
