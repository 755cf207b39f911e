import type { Client, OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { demandServer, withClient } from '../server/running-server.ts'
import { confirm, YES_OPTION } from '../terminal/confirm.ts'
import { formatColumns } from '../terminal/format-columns.ts'
import { visibleText } from '../terminal/visible-text.ts'

const KINDS = ['instruction', 'hidden', 'shadowing', 'exfiltration'] as const

export const toolsCommand: Command = {
  name: 'tools',
  summary: 'choose which outside tools agents may use',
  actions: [
    { name: 'list', summary: 'Lists every tool of every outside server and its state.', run: withClient(list) },
    {
      name: 'add',
      summary: 'Adds a server and stores its tools. None can be used until you approve it.',
      parameters: ['<name>', '<address>'],
      run: withClient(add),
    },
    {
      name: 'show',
      summary: 'Shows a server, or the full text of one tool as an agent would read it.',
      parameters: ['<server[/tool]>'],
      run: show,
    },
    {
      name: 'approve',
      summary: 'Lets agents use a tool, exactly as `show` printed it with this hash.',
      parameters: ['<server/tool>', '<hash>'],
      options: {
        finding: { type: 'texts', value: 'kind', summary: `a finding that you have read: ${KINDS.join(', ')}` },
      },
      run: approve,
    },
    {
      name: 'suspend',
      summary: 'Stops agents from using a tool until you approve it again.',
      parameters: ['<server/tool>'],
      options: { reason: { type: 'text', value: 'text', summary: 'why' } },
      run: suspend,
    },
    {
      name: 'refresh',
      summary: 'Reads a server’s tools again and suspends those that changed.',
      parameters: ['<server>'],
      run: withClient(refresh),
    },
    {
      name: 'remove',
      summary: 'Removes a server and all its tools.',
      parameters: ['<server>'],
      options: YES_OPTION,
      run: withClient(remove),
    },
  ],
  examples: [
    'tools add shop https://shop.example/mcp',
    'tools show shop/buy',
    'tools approve shop/buy <hash> --finding instruction',
    'tools suspend shop/buy --reason "It bought twice"',
  ],
  notes: [
    'The address must use https, or http on this machine, and may not contain a user, password or query.',
    'An approval names the hash and each kind of finding, so that you approve only what you have read.',
  ],
}

async function list(client: Client): Promise<Outcome> {
  const { servers } = await client.listToolServers({})
  const whole = await Promise.all(servers.map(({ name }) => client.getToolServer({ params: { serverName: name } })))
  return done({ servers: whole }, toolsText(whole))
}

async function add(client: Client, args: Arguments): Promise<Outcome> {
  const answer = await client.registerToolServer({ body: { name: args.needed(0), endpoint: args.needed(1) } })
  return done(answer, readText(answer))
}

async function show(args: Arguments, { config }: Context): Promise<Outcome> {
  const typed = args.needed(0)
  const { client } = await demandServer(config)
  if (typed.includes('/')) {
    const tool = await findTool(client, typed)
    return done(tool, toolText(tool))
  }
  const server = await client.getToolServer({ params: { serverName: typed } })
  return done(server, serverText(server))
}

async function approve(args: Arguments, { config }: Context): Promise<Outcome> {
  const hash = args.needed(1)
  if (!/^[\da-f]{64}$/.test(hash)) throw wrongUsage('<hash> must be the whole hash that `clawboo tools show` prints')
  const findings = args.texts('finding').map(kindNamed)
  const { client } = await demandServer(config)
  const tool = await findTool(client, args.needed(0))
  const answer = await client.approveTool({ params: { toolId: tool.id }, body: { hash, findings } })
  const known = foundKinds(answer)
  const despite = known.length === 0 ? '' : `, with these findings: ${known.join(', ')}`
  return done(answer, `Agents may use ${refOf(answer)}${despite}`)
}

async function suspend(args: Arguments, { config }: Context): Promise<Outcome> {
  const reason = args.text('reason')
  const { client } = await demandServer(config)
  const tool = await findTool(client, args.needed(0))
  const body = reason === undefined ? {} : { reason }
  const answer = await client.suspendTool({ params: { toolId: tool.id }, body })
  return done(answer, `Agents may not use ${refOf(answer)} until it is approved again`)
}

async function refresh(client: Client, args: Arguments): Promise<Outcome> {
  const answer = await client.refreshToolServer({ params: { serverName: args.needed(0) } })
  return done(answer, readText(answer))
}

async function remove(client: Client, args: Arguments, context: Context): Promise<Outcome> {
  const { name } = await client.getToolServer({ params: { serverName: args.needed(0) } })
  if (!(await confirm(`Remove the server "${name}" with all its tools and approvals?`, args, context)))
    return done({ removed: false }, 'Nothing was changed', EXIT_CODES.failed)
  await client.removeToolServer({ params: { serverName: name } })
  return done({ removed: true, name }, `Removed the server "${name}"`)
}

async function findTool(client: Client, typed: string): Promise<OutsideTool> {
  const [, serverName, toolName] = /^([^/]+)\/([^/]+)$/.exec(typed) ?? []
  if (serverName === undefined || toolName === undefined) throw wrongUsage(`name a tool as server/tool, not "${typed}"`)
  const { tools } = await client.getToolServer({ params: { serverName } })
  const found = tools.find(({ descriptor }) => descriptor.name === toolName)
  if (found) return found
  throw new ClawbooError('tool_not_found', `there is no tool "${typed}"; \`clawboo tools\` lists them`)
}

function kindNamed(typed: string): (typeof KINDS)[number] {
  const kind = KINDS.find((known) => known === typed)
  if (kind) return kind
  throw wrongUsage(`--finding takes ${KINDS.join(', ')}, not "${typed}"`)
}

export type ToolServer = OperationOutput<'getToolServer'>
export type OutsideTool = ToolServer['tools'][number]
type ReadServer = OperationOutput<'registerToolServer'>

/** One line per tool, by server. */
function toolsText(servers: readonly ToolServer[]): string {
  if (servers.length === 0) return 'No outside servers'
  const rows = servers.flatMap(({ name, endpoint, tools }) =>
    tools.length === 0 ? [['-', `${name}/`, '', `no tools at ${endpoint}`]] : tools.map(row),
  )
  return formatColumns([['STATE', 'TOOL', 'FINDINGS', ''], ...rows])
}

function row(tool: OutsideTool): string[] {
  return [tool.state, refOf(tool), foundKinds(tool).join(', ') || '-', tool.reason ?? '']
}

function serverText(server: ToolServer): string {
  const facts = [
    ['Server', server.name],
    ['Address', server.endpoint],
    ['Seen', time(server.seenAt)],
  ]
  return [formatColumns(facts), ...(server.tools.length === 0 ? [] : ['', toolsText([server])])].join('\n')
}

/** Describes a server that was just read, with the tools that could not be stored. */
export function readText({ server, refused }: ReadServer): string {
  const left = refused.map(({ name, reason }) => [`Left out "${everyCharacter(name)}": ${reason}`])
  return [serverText(server), ...(left.length === 0 ? [] : [formatColumns(left)])].join('\n')
}

/** Everything a person needs to decide about a tool. */
function toolText(tool: OutsideTool): string {
  const { descriptor, approved, findings } = tool
  const facts = [
    ['Tool', refOf(tool)],
    ['State', tool.reason === null ? tool.state : `${tool.state}: ${tool.reason}`],
    ['Hash', tool.hash],
    ['Approved', approved === null ? '-' : `${time(approved.at)} by ${approved.by}, hash ${approved.hash}`],
    ...findings.map(({ kind, where, excerpt }) => [
      'Finding',
      `${kind} in ${everyCharacter(where)}: ${everyCharacter(excerpt)}`,
    ]),
  ]
  const before = approved !== null && approved.hash !== tool.hash ? words('as approved', approved.descriptor) : []
  return [formatColumns(facts), ...words('as the server describes it now', descriptor), ...before].join('\n')
}

/** Server and name: unlike an id, a person can type them. */
export function refOf({ server, descriptor }: OutsideTool): string {
  return `${server}/${descriptor.name}`
}

/** Each kind of finding once. */
function foundKinds({ findings }: OutsideTool): OutsideTool['findings'][number]['kind'][] {
  return [...new Set(findings.map(({ kind }) => kind))]
}

function words(when: string, { description, inputSchema }: OutsideTool['descriptor']): string[] {
  const schema = JSON.stringify(inputSchema, null, 2)
  return [`\nDescription ${when}:`, quoted(description), `\nArguments ${when}:`, quoted(schema)]
}

/** Prefixes every line, so that outside text cannot look like our output. */
function quoted(text: string): string {
  return everyCharacter(text).replaceAll(/^/gm, '| ')
}

/** Writes invisible characters as escapes: a person who approves a tool must see everything a model would read. */
function everyCharacter(text: string): string {
  const shown = text.replace(
    /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  )
  return visibleText(shown)
}

function time(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
