import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readToken } from '../../access/operator-token.ts'
import { homeFiles } from '../../home.ts'
import { createFixtureTable } from '../../mcp/test-fixture-table.ts'
import { type OutsideServer, startOutsideServer } from '../../tools/test-outside-server.ts'
import { relayMcp } from '../mcp-relay.ts'
import { COMMAND, createTestHome, type TestHome } from '../test-clawboo.ts'

const SERVERS = ['tasks', 'memory', 'tools', 'teamchat']

let place: TestHome
let url: string
let team: string
let outside: OutsideServer
beforeAll(async () => {
  place = await createTestHome()
  await place.clawboo(['start', '--detach'])
  url = (await place.clawboo(['status', '--json'])).json<{ url: string }>().url
  team = (await place.clawboo(['teams', 'create', 'Writers', '--json'])).json<{ team: { id: string } }>().team.id
  outside = await startOutsideServer(createFixtureTable)
  await place.clawboo(['tools', 'add', 'out', outside.endpoint])
  const { hash } = (await place.clawboo(['tools', 'show', 'out/fixture_who', '--json'])).json<{ hash: string }>()
  expect((await place.clawboo(['tools', 'approve', 'out/fixture_who', hash])).code).toBe(0)
})
afterAll(async () => {
  await outside.close()
  await place.dispose()
})

const connect = async (server: string, mode: 'legacy' | 'auto') => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const args = ['--disable-warning=ExperimentalWarning', COMMAND, 'mcp', server]
  const env = { CLAWBOO_HOME: place.home, HOME: place.home }
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }))
  return client
}

type Ask = (name: string, args: Record<string, unknown>) => Promise<Awaited<ReturnType<Client['callTool']>>>

/** Calls every tool at least once as the operator. Tools that are only for agents must refuse. */
async function callEveryTool(ask: Ask, era: string): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer = await ask(name, args)
    if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`)
    return answer.structuredContent
  }
  const isRefused = async (name: string, args: Record<string, unknown>, words: string) =>
    expect([name, await ask(name, args)]).toMatchObject([
      name,
      { isError: true, content: [{ type: 'text', text: expect.stringContaining(words) }] },
    ])
  const { memory } = (await call('memory_save', { text: `over stdio in ${era}` })) as { memory: { id: string } }
  expect(memory).toMatchObject({ author: 'operator', scope: 'everyone', trust: 'operator' })
  expect(await call('memory_search', { query: `stdio ${era}` })).toEqual({ memories: [memory], hasMore: false })
  await isRefused('memory_save', { text: 'x', author: 'ada' }, 'author')
  await call('memory_forget', { id: memory.id })
  expect(await call('memory_browse', {})).toEqual({ memories: [], hasMore: false })

  const { task } = (await call('create_task', { team, title: `In ${era}` })) as { task: { id: string } }
  const { id } = task
  expect(await call('create_subtask', { title: 'Below', parent: id })).toMatchObject({ task: { parentId: id } })
  expect(await call('update_task', { id, priority: 'high' })).toMatchObject({ task: { priority: 'high' } })
  expect(await call('comment_task', { id, body: 'Hot' })).toMatchObject({ comment: { text: 'Hot' } })
  expect(await call('get_task', { id })).toMatchObject({ task: { id, priority: 'high' } })
  expect(JSON.stringify(await call('list_tasks', { team }))).toContain(id)
  await isRefused('claim_task', { id }, 'only agents can use this tool')
  await isRefused('report_done', { summary: 'Done' }, 'only agents can use this tool')
  await isRefused('report_blocked', { reason: 'No fire' }, 'only agents can use this tool')

  const tool = 'out/fixture_who'
  expect(await call('search_tools', { query: 'who' })).toMatchObject({ tools: [{ tool }] })
  expect(await call('describe_tool', { tool })).toMatchObject({ tool, source: 'outside' })
  const answer = { source: 'outside', isError: false, text: '{"caller":"operator","word":"x"}' }
  expect(await call('call_tool', { tool, arguments: { word: 'x' } })).toMatchObject(answer)
  await isRefused('team_chat_post', { body: 'Hello' }, 'room_not_found')
  await isRefused('team_chat_subscribe', {}, 'room_not_found')
}

test.each([
  ['2025', 'legacy'],
  ['2026', 'auto'],
] as const)('[MC1] a client of %s lists and calls every tool of every server over stdio', async (era, mode) => {
  const clients: Client[] = []
  const clientOf = new Map<string, Client>()
  const called = new Set<string>()
  try {
    for (const server of SERVERS) {
      const client = await connect(server, mode)
      clients.push(client)
      for (const tool of (await client.listTools()).tools) {
        expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
        clientOf.set(tool.name, client)
      }
    }
    await callEveryTool((name, args) => {
      called.add(name)
      return clientOf.get(name)!.callTool({ name, arguments: args })
    }, era)
    expect([...called].sort()).toEqual([...clientOf.keys()].sort())
    expect(called.size).toBe(18)
  } finally {
    for (const client of clients) await client.close()
  }
})

test('[MC11] the relay ends when its input ends, reports invalid messages, and answers each request under its own id', async () => {
  const lines = [
    '{"jsonrpc":"2.0","id":"a","method":"tools/list"}',
    'no json',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":6,"method":"nothing/like/this"}',
  ]
  const run = await place.clawboo(['mcp', 'memory'], { input: lines.join('\n') })
  expect([run.code, run.stderr]).toEqual([0, ''])
  const answers = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } })
  expect(answers.filter(({ id }) => id === null).map(({ error }) => error!.code)).toEqual([-32700, -32700])
  expect(answers.find(({ id }) => id === 'a')).toMatchObject({ result: { tools: expect.any(Array) } })
  expect(answers.find(({ id }) => id === 5)).toEqual({ jsonrpc: '2.0', id: 5, result: {} })
  expect(answers.find(({ id }) => id === 6)).toMatchObject({ error: { code: -32601 } })
  expect(answers).toHaveLength(5)
})

test('[MC11] the answer reports a refused token and a missing server', async () => {
  const talk = async (address: string, token: string) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    input.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    await relayMcp({ url: address, token, input, output })
    return JSON.parse(String(output.read())) as unknown
  }
  expect(await talk(`${url}/api/mcp/memory`, 'x'.repeat(43))).toMatchObject({ id: 1, error: { code: -32001 } })
  expect(await talk('http://127.0.0.1:9/api/mcp/memory', 'x')).toMatchObject({ id: 1, error: { code: -32000 } })
})

test('[MC11] names the servers when one does not exist, and prints the settings to copy when none is named', async () => {
  const wrong = await place.clawboo(['mcp', 'memry'])
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('there is no MCP server "memry"; choose one of tasks, memory, tools, teamchat')
  const { code, stdout } = await place.clawboo(['mcp'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('"clawboo-memory"')])
})

test('[MC10] the settings list every server of the running product and contain no secret', async () => {
  const config = (await place.clawboo(['mcp', '--json'])).json()
  expect(config).toMatchObject({ servers: SERVERS.map((name) => ({ name, url: `${url}/api/mcp/${name}` })) })
  expect(JSON.stringify(config)).not.toContain((await readToken(homeFiles(place.home).token))!)
})

test('[SE31] refuses an invented grant and records it in the audit log', async () => {
  const made = `clawboo_grant_${'A'.repeat(43)}`
  const headers = { authorization: `Bearer ${made}` }
  const statuses = [
    (await fetch(`${url}/api/agents`, { headers })).status,
    (await fetch(`${url}/api/mcp/config`, { headers })).status,
    (await fetch(`${url}/api/mcp/memory`, { headers, method: 'POST' })).status,
    (await fetch(`${url}/.well-known/oauth-authorization-server`)).status,
    (await fetch(`${url}/register`)).status,
  ]
  expect(statuses).toEqual([403, 403, 401, 404, 404])
  const token = (await readToken(homeFiles(place.home).token))!
  const audit = await fetch(`${url}/api/audit`, { headers: { authorization: `Bearer ${token}` } })
  const { entries } = (await audit.json()) as { entries: { action: string; detail: unknown }[] }
  const refused = entries.filter(({ action }) => action === 'grant.refuse')
  expect(refused.slice(0, 3).map(({ detail }) => detail)).toEqual([
    { because: 'unknown', at: 'POST /api/mcp/memory' },
    { because: 'operator_route', at: 'GET /api/mcp/config' },
    { because: 'operator_route', at: 'GET /api/agents' },
  ])
})
