import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer as readAll } from 'node:stream/consumers'
import type { Client, OperationInput, OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { AGENT_FILE_NAMES, type AgentFileName, agentRole, isAgentFileName } from '@clawboo/core/registry'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { resolveAgent, resolveTeam } from '../resolve-name.ts'
import { demandServer, withClient } from '../server/running-server.ts'
import { confirm, YES_OPTION } from '../terminal/confirm.ts'
import { formatColumns } from '../terminal/format-columns.ts'

export const agentsCommand: Command = {
  name: 'agents',
  summary: 'list, create and change Boos',
  actions: [
    { name: 'list', summary: 'Lists every Boo.', run: withClient(list) },
    { name: 'show', summary: 'One Boo.', parameters: ['<agent>'], run: withClient(show) },
    {
      name: 'create',
      summary: 'Creates a Boo.',
      parameters: ['<name>'],
      options: {
        role: { type: 'text', value: 'text', summary: 'what it does, in one line' },
        team: { type: 'text', value: 'team', summary: 'the team it joins' },
        person: { type: 'flag', summary: 'create a person instead of an AI agent' },
        file: { type: 'texts', value: 'NAME=path', summary: 'initial content for one of its files' },
      },
      run: create,
    },
    { name: 'rename', summary: 'Renames a Boo.', parameters: ['<agent>', '<name>'], run: withClient(rename) },
    {
      name: 'delete',
      summary: 'Deletes a Boo and everything that belongs to it.',
      parameters: ['<agent>'],
      options: YES_OPTION,
      run: withClient(remove),
    },
    {
      name: 'file',
      summary: `Prints or replaces one of its files: ${AGENT_FILE_NAMES.join(', ')}.`,
      parameters: ['<agent>', '<NAME>'],
      options: {
        set: { type: 'text', value: 'path', summary: 'replace the file with this one; - reads standard input' },
      },
      run: file,
    },
  ],
  examples: [
    'agents',
    'agents create Ada --role "Reads the logs" --team "Night shift" --file SOUL.md=./soul.md',
    'agents file Ada SOUL.md > soul.md',
    'agents file Ada SOUL.md --set - < soul.md',
  ],
  notes: ['Name a Boo by its id, or by its name if that is unique.'],
}

type Agent = OperationOutput<'getAgent'>

async function list(client: Client): Promise<Outcome> {
  const [fleet, { teams }, { runtimes }] = await Promise.all([
    client.listAgents({}),
    client.listTeams({}),
    client.listRuntimes({}),
  ])
  if (fleet.agents.length === 0) return done(fleet, 'No Boos yet')
  const teamNames = new Map(teams.map((team) => [team.id, team.name]))
  const runtimeLabels = new Map(runtimes.map((runtime) => [runtime.id, runtime.label]))
  const rows = fleet.agents.map((agent) => [
    agent.displayName,
    agentRole(agent) || '-',
    teamNames.get(agent.teamId ?? '') ?? '-',
    agent.status,
    runtimeLabels.get(agent.runtime) ?? agent.runtime,
    agent.id,
  ])
  const stale = fleet.sources
    .filter((source) => source.stale)
    .map((source) => `${source.label} is offline; its Boos are shown as last seen`)
  return done(
    fleet,
    [formatColumns([['NAME', 'ROLE', 'TEAM', 'STATUS', 'RUNTIME', 'ID'], ...rows]), ...stale].join('\n'),
  )
}

async function show(client: Client, args: Arguments): Promise<Outcome> {
  return described(client, await resolveAgent(client, args.needed(0)))
}

async function create(args: Arguments, { config }: Context): Promise<Outcome> {
  const files = await readFiles(args.texts('file'))
  const { client } = await demandServer(config)
  const team = args.text('team')
  const role = args.text('role')
  const body: OperationInput<'createAgent'>['body'] = {
    name: args.needed(0),
    ...(team === undefined ? {} : { teamId: (await resolveTeam(client, team)).id }),
    ...(role === undefined ? {} : { personalityConfig: { role } }),
    ...(args.flag('person') ? { participantKind: 'human' as const } : {}),
    ...(Object.keys(files).length === 0 ? {} : { files }),
  }
  return described(client, await client.createAgent({ body }))
}

async function rename(client: Client, args: Arguments): Promise<Outcome> {
  const { id } = await resolveAgent(client, args.needed(0))
  return described(client, await client.updateAgent({ params: { agentId: id }, body: { name: args.needed(1) } }))
}

async function remove(client: Client, args: Arguments, context: Context): Promise<Outcome> {
  const agent = await resolveAgent(client, args.needed(0))
  if (!(await confirm(`Delete the Boo "${agent.displayName}" and everything that belongs to it?`, args, context)))
    return done({ deleted: false }, 'Nothing was changed', EXIT_CODES.failed)
  await client.deleteAgent({ params: { agentId: agent.id } })
  return done({ deleted: true, id: agent.id }, `Deleted the Boo "${agent.displayName}"`)
}

async function file(args: Arguments, context: Context): Promise<Outcome> {
  const fileName = readFileName(args.needed(1))
  const path = args.text('set')
  const content =
    path === '-'
      ? textOf(await readAll(context.stdin), 'the input')
      : path === undefined
        ? undefined
        : await readText(path)
  const { client } = await demandServer(context.config)
  const { id: agentId, displayName } = await resolveAgent(client, args.needed(0))
  const params = { agentId, fileName }
  const current = await client.readAgentFile({ params })
  if (content === undefined) return { printed: { data: current, text: current.content }, exitCode: EXIT_CODES.ok }
  const written = await client.writeAgentFile({ params, body: { content, baseRevision: current.revision } })
  return done(written, `Wrote ${fileName} of "${displayName}" (revision ${written.revision})`)
}

async function readFiles(pairs: readonly string[]): Promise<Partial<Record<AgentFileName, string>>> {
  const files: Partial<Record<AgentFileName, string>> = {}
  for (const pair of pairs) {
    const [, name, path] = /^([^=]*)=(.+)$/s.exec(pair) ?? []
    if (name === undefined || path === undefined) throw wrongUsage(`--file takes NAME=path, not "${pair}"`)
    files[readFileName(name)] = await readText(path)
  }
  return files
}

function readFileName(name: string): AgentFileName {
  if (isAgentFileName(name)) return name
  throw wrongUsage(`a Boo has no file "${name}"; use one of ${AGENT_FILE_NAMES.join(', ')}`)
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    throw new ClawbooError('file_not_found', `the file ${path} does not exist`, { cause })
  })
  return textOf(bytes, path)
}

/** Refuses other bytes, because storing them as text would change them. */
function textOf(bytes: Buffer, place: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new ClawbooError('file_not_text', `${place} is not UTF-8 text`)
}

async function described(client: Client, agent: Agent): Promise<Outcome> {
  const [{ teams }, { runtimes }] = await Promise.all([client.listTeams({}), client.listRuntimes({})])
  return done(
    agent,
    formatColumns([
      [agent.participantKind === 'human' ? 'Person' : 'Boo', agent.displayName],
      ['Id', agent.id],
      ['Role', agentRole(agent) || '-'],
      ['Team', teams.find((team) => team.id === agent.teamId)?.name ?? '-'],
      ['Status', agent.status],
      ['Runtime', runtimes.find((runtime) => runtime.id === agent.runtime)?.label ?? agent.runtime],
    ]),
  )
}
