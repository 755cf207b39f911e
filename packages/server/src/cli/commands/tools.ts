import type { Client } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { demandServer } from '../server/running-server.ts'
import { confirm, YES_OPTION } from '../terminal/confirm.ts'
import { foundKinds, type OutsideTool, readText, refOf, serverText, toolsText, toolText } from './tool-text.ts'

const KINDS = ['instruction', 'hidden', 'shadowing', 'exfiltration'] as const

export const toolsCommand: Command = {
  name: 'tools',
  summary: 'choose which outside tools agents may use',
  actions: [
    { name: 'list', summary: 'Lists every tool of every outside server and its state.', run: list },
    {
      name: 'add',
      summary: 'Adds a server and stores its tools. None can be used until you approve it.',
      parameters: ['<name>', '<address>'],
      run: add,
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
      run: refresh,
    },
    {
      name: 'remove',
      summary: 'Removes a server and all its tools.',
      parameters: ['<server>'],
      options: YES_OPTION,
      run: remove,
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

async function list(_: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const { servers } = await client.listToolServers({})
  const whole = await Promise.all(servers.map(({ name }) => client.getToolServer({ params: { serverName: name } })))
  return done({ servers: whole }, toolsText(whole))
}

async function add(args: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
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

async function refresh(args: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const answer = await client.refreshToolServer({ params: { serverName: args.needed(0) } })
  return done(answer, readText(answer))
}

async function remove(args: Arguments, context: Context): Promise<Outcome> {
  const { client } = await demandServer(context.config)
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
