import { readToken } from '../../access/operator-token.ts'
import { homeFiles } from '../../home.ts'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { relayMcp } from '../mcp-relay.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { demandServer } from '../server/running-server.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'connect another program to Clawboo’s tools',
  actions: [
    {
      name: '',
      summary:
        'Serves MCP on standard input and output as the operator. Without a server name, prints the settings to copy.',
      parameters: ['[server]'],
      run: (args, context) => mcp(args, context),
    },
  ],
  examples: ['mcp', 'mcp memory', 'mcp --json'],
  notes: ['A program that starts `clawboo mcp <server>` has the operator’s rights.'],
}

async function mcp(args: Arguments, { config, json, stdin, stdout }: Context): Promise<Outcome> {
  const name = args.parameter(0)
  if (name !== undefined && json) throw wrongUsage('`clawboo mcp <server>` always speaks JSON-RPC; leave out --json')
  const { client } = await demandServer(config)
  const attach = await client.getMcpConfig({})
  if (name === undefined) {
    const blocks = attach.snippets.map(({ title, where, text }) => `${title} (${where}):\n\n${text}\n`)
    return done(attach, blocks.join('\n').trimEnd())
  }
  const server = attach.servers.find((candidate) => candidate.name === name)
  if (!server) {
    const names = attach.servers.map((candidate) => candidate.name).join(', ')
    throw wrongUsage(`there is no MCP server "${name}"; choose one of ${names}`)
  }
  const token = (await readToken(homeFiles(config.home).token))!
  await relayMcp({ url: server.url, token, input: stdin as AsyncIterable<Buffer>, output: stdout })
  return { printed: null, exitCode: EXIT_CODES.ok }
}
