import type { Client, OperationOutput } from '@clawboo/api/client'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { resolveAgent, resolveTeam } from '../resolve-name.ts'
import { withClient } from '../server/running-server.ts'
import { confirm, YES_OPTION } from '../terminal/confirm.ts'
import { formatColumns } from '../terminal/format-columns.ts'

export const teamsCommand: Command = {
  name: 'teams',
  summary: 'list, create and change teams',
  actions: [
    { name: 'list', summary: 'Every team.', run: withClient(list) },
    { name: 'show', summary: 'Shows one team and its members.', parameters: ['<team>'], run: withClient(show) },
    {
      name: 'create',
      summary: 'Creates a team.',
      parameters: ['<name>'],
      options: {
        member: { type: 'texts', value: 'agent', summary: 'a Boo to add' },
        description: { type: 'text', value: 'text', summary: 'what the team is for' },
      },
      run: withClient(create),
    },
    { name: 'add', summary: 'Adds a Boo to a team.', parameters: ['<team>', '<agent>'], run: withClient(add) },
    {
      name: 'remove',
      summary: 'Removes a Boo from a team.',
      parameters: ['<team>', '<agent>'],
      run: withClient(remove),
    },
    {
      name: 'delete',
      summary: 'Deletes a team. Its members stay, without a team.',
      parameters: ['<team>'],
      options: YES_OPTION,
      run: withClient(deleteTeam),
    },
  ],
  examples: ['teams', 'teams create "Night shift" --member Ada --member Grace', 'teams delete "Night shift" --yes'],
  notes: ['Name a team or a Boo by its id, or by its name if that is unique.'],
}

async function list(client: Client): Promise<Outcome> {
  const answer = await client.listTeams({})
  if (answer.teams.length === 0) return done(answer, 'No teams yet')
  const rows = answer.teams.map((team) => [team.name, String(team.agentCount), team.id])
  return done(answer, formatColumns([['NAME', 'BOOS', 'ID'], ...rows]))
}

async function show(client: Client, args: Arguments): Promise<Outcome> {
  const { id } = await resolveTeam(client, args.needed(0))
  return detail(client, await client.getTeam({ params: { teamId: id } }))
}

async function create(client: Client, args: Arguments): Promise<Outcome> {
  const members = await Promise.all(args.texts('member').map((name) => resolveAgent(client, name)))
  const body = {
    name: args.needed(0),
    description: args.text('description') ?? null,
    memberIds: members.map((agent) => agent.id),
  }
  return detail(client, await client.createTeam({ body }))
}

async function add(client: Client, args: Arguments): Promise<Outcome> {
  return detail(client, await client.addTeamMember({ params: await memberParams(client, args) }))
}

async function remove(client: Client, args: Arguments): Promise<Outcome> {
  return detail(client, await client.removeTeamMember({ params: await memberParams(client, args) }))
}

async function deleteTeam(client: Client, args: Arguments, context: Context): Promise<Outcome> {
  const team = await resolveTeam(client, args.needed(0))
  if (!(await confirm(`Delete the team "${team.name}"?`, args, context)))
    return done({ deleted: false }, 'Nothing was changed', EXIT_CODES.failed)
  await client.deleteTeam({ params: { teamId: team.id } })
  return done({ deleted: true, id: team.id }, `Deleted the team "${team.name}"`)
}

async function memberParams(client: Client, args: Arguments): Promise<{ teamId: string; agentId: string }> {
  const team = await resolveTeam(client, args.needed(0))
  const agent = await resolveAgent(client, args.needed(1))
  return { teamId: team.id, agentId: agent.id }
}

async function detail(client: Client, answer: OperationOutput<'getTeam'>): Promise<Outcome> {
  const { agents } = await client.listAgents({})
  const names = new Map(agents.map((agent) => [agent.id, agent.displayName]))
  const nameOf = (id: string) => names.get(id) ?? id
  const { team, memberIds, leaderId } = answer
  return done(
    answer,
    formatColumns([
      ['Team', team.name],
      ['Id', team.id],
      ['For', team.description ?? '-'],
      ['Led by', leaderId === null ? '-' : nameOf(leaderId)],
      ['Boos', memberIds.length === 0 ? '-' : memberIds.map(nameOf).join(', ')],
    ]),
  )
}
