import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readToken } from '../access/operator-token.ts'
import { homeFiles } from '../home.ts'
import { relayMcp } from './mcp-relay.ts'
import { COMMAND, createTestHome, type TestHome } from './test-clawboo.ts'

let place: TestHome
let url: string
beforeAll(async () => {
  place = await createTestHome()
  await place.clawboo(['start', '--detach'])
  url = (await place.clawboo(['status', '--json'])).json<{ url: string }>().url
})
afterAll(() => place.dispose())

const connect = async (mode: 'legacy' | 'auto') => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const args = ['--disable-warning=ExperimentalWarning', COMMAND, 'mcp', 'memory']
  const env = { CLAWBOO_HOME: place.home, HOME: place.home }
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }))
  return client
}

test.each([
  ['2025', 'legacy'],
  ['2026', 'auto'],
] as const)('[MC1] over stdio a client of %s lists and calls every tool as the operator', async (era, mode) => {
  const client = await connect(mode)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['memory_save', 'memory_search', 'memory_browse', 'memory_forget'])
  const saved = await client.callTool({ name: 'memory_save', arguments: { text: `over stdio in ${era}` } })
  const { memory } = saved.structuredContent as { memory: { id: string } }
  expect(memory).toMatchObject({ author: 'operator', scope: 'everyone', trust: 'operator' })
  const found = await client.callTool({ name: 'memory_search', arguments: { query: `stdio ${era}` } })
  expect(found.structuredContent).toEqual({ memories: [memory], hasMore: false })
  const bad = await client.callTool({ name: 'memory_save', arguments: { text: 'x', author: 'ada' } })
  expect(bad.isError).toBe(true)
  await client.callTool({ name: 'memory_forget', arguments: { id: memory.id } })
  const rest = await client.callTool({ name: 'memory_browse', arguments: {} })
  expect(rest.structuredContent).toEqual({ memories: [], hasMore: false })
  await client.close()
})

test('[MC11] the relay ends with its input, answers what is no message, and gives every request its own id back', async () => {
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

test('[MC11] a refused token and a server that is gone are told in the answer', async () => {
  const talk = async (address: string, token: string) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    input.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    await relayMcp({ url: address, token, input, output })
    return JSON.parse(String(output.read())) as unknown
  }
  expect(await talk(`${url}/api/mcp/memory`, 'x'.repeat(43))).toMatchObject({ id: 1, error: { code: -32001 } })
  expect(await talk('http://127.0.0.1:9/api/mcp/memory', 'x')).toMatchObject({ id: 1, error: { code: -32000 } })
})

test('[MC11] a server that does not exist is named, and without one the command says how to attach them', async () => {
  const wrong = await place.clawboo(['mcp', 'memry'])
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('there is no MCP server "memry"; there is memory')
  const { code, stdout } = await place.clawboo(['mcp'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('"clawboo-memory"')])
})

test('[MC10] the config names every server of the running product, and no secret', async () => {
  const config = (await place.clawboo(['mcp', '--json'])).json()
  expect(config).toMatchObject({ servers: [{ name: 'memory', url: `${url}/api/mcp/memory` }] })
  expect(JSON.stringify(config)).not.toContain((await readToken(homeFiles(place.home).token))!)
})

test('[SE31] a made-up grant is refused by the running product and found in its audit', async () => {
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
