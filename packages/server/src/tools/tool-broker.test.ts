import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { actAs } from '../access/actor.ts'
import { createAudit } from '../access/audit.ts'
import { useRecords } from '../executor/test-records.ts'
import { createFixtureTable } from '../mcp/test-fixture-table.ts'
import { defineTool, type ToolTable } from '../mcp/tool-table.ts'
import { sql } from '../store/sql.ts'
import { createSqliteDatabase } from '../store/test-stores.ts'
import { type OutsideServer, startOutsideServer, startServer, startSessionServer } from './test-outside-server.ts'
import { createToolBroker, type ToolBroker } from './tool-broker.ts'
import { createToolRegistry, type ToolRegistry } from './tool-registry.ts'
import { createToolServerClient } from './tool-server-client.ts'

const OPERATOR = { kind: 'operator' } as const
const signal = new AbortController().signal
const records = useRecords(createSqliteDatabase)
const client = createToolServerClient({ listMs: 2_000, callMs: 2_000 })
const opened: OutsideServer[] = []
let registry: ToolRegistry
let broker: ToolBroker
let fixture: ReturnType<typeof createFixtureTable>
let at: number

beforeEach(async () => {
  const { store } = records()[0]!
  await store.db.run(sql`DELETE FROM tool_servers`)
  at = 1_000_000
  fixture = createFixtureTable()
  const now = () => at
  registry = createToolRegistry({ store, client, ownTools: [], now })
  broker = createToolBroker({ store, registry, client, audit: createAudit(store), now })
})
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())))

const sayTool = (text: string) =>
  defineTool({
    name: 'say',
    title: 'Say',
    description: 'Says it.',
    input: z.strictObject({}),
    output: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler: async () => ({}),
    content: () => [{ type: 'text', text }],
  })

async function open<S extends OutsideServer>(starting: Promise<S>): Promise<S> {
  const server = await starting
  opened.push(server)
  return server
}

async function register(endpoint: string, approved: readonly string[], name = 'out') {
  const { tools } = await registry.register({ name, endpoint }, OPERATOR)
  for (const { id, hash, descriptor, findings } of tools)
    if (approved.includes(descriptor.name))
      await registry.approve(id, { hash, findings: findings.map(({ kind }) => kind) }, OPERATOR)
}

const written = async (action: string) => (await records()[0]!.audit()).filter((entry) => entry.action === action)

describe('the broker', () => {
  it('[TO10] finds, describes and calls only approved tools', async () => {
    const { endpoint, requests } = await open(startOutsideServer(() => fixture))
    await register(endpoint, ['fixture_who', 'test_simple_text'])
    expect((await broker.search('', 50)).tools.map(({ tool }) => tool)).toEqual([
      'out/fixture_who',
      'out/test_simple_text',
    ])
    expect((await broker.search('SERVER sees', 50)).tools.map(({ tool }) => tool)).toEqual(['out/fixture_who'])
    expect(await broker.search('', 1)).toMatchObject({ hasMore: true })
    expect((await broker.search('image', 50)).tools).toEqual([])
    expect(await broker.describe('out/fixture_who')).toMatchObject({
      descriptor: { inputSchema: { properties: { word: { maxLength: 100 } } } },
    })
    expect(await broker.call('out/fixture_who', { word: 'hello' }, signal)).toEqual({
      text: '{"caller":"operator","word":"hello"}',
      isError: false,
      leftOut: 0,
    })
    const calls = requests.filter(({ rpc }) => rpc === 'tools/call').length
    const messages = new Set<string>()
    for (const tool of [
      'out/test_image_content',
      'out/nothing',
      'nowhere/fixture_who',
      'fixture_who',
      'out/',
      '/',
      'a/b/c',
    ])
      for (const attempt of [() => broker.describe(tool), () => broker.call(tool, {}, signal)])
        await attempt().catch(({ code, message }) => messages.add(`${code} ${message.replaceAll(tool, 'X')}`))
    expect([...messages]).toEqual(['tool_not_found there is no tool "X"; search_tools lists the available ones'])
    expect(requests.filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(calls)
    expect((await written('tool.refuse')).length).toBe(7)
  })

  it('[TO4] does not call a tool that changed since its approval, at the latest a minute later', async () => {
    let table: ToolTable = { ...fixture, tools: [sayTool('one')] }
    const { endpoint, requests } = await open(startOutsideServer(() => table))
    await register(endpoint, ['say'])
    await broker.call('out/say', {}, signal)
    table = { ...fixture, tools: [{ ...sayTool('two'), description: 'Says it, and more.' }] }
    const before = requests.length
    at += 60_001
    await expect(broker.call('out/say', {}, signal)).rejects.toMatchObject({ code: 'tool_not_found' })
    expect(requests.slice(before).map(({ rpc }) => rpc)).not.toContain('tools/call')
    expect(await registry.list()).toMatchObject([
      { state: 'suspended', approved: { descriptor: { description: 'Says it.' } } },
    ])
    expect((await broker.search('', 9)).tools).toEqual([])
    expect((await written('tool.answer')).at(-1)).toMatchObject({ detail: { outcome: 'changed' } })
  })

  it('[TO11] records a call before and after, with its caller and run and a hash of its arguments', async () => {
    const { endpoint } = await open(startOutsideServer(() => fixture))
    await register(endpoint, ['fixture_who', 'test_error_handling'])
    const actor = { name: 'agent:ada', runId: 'run-7' }
    await actAs(actor, () => broker.call('out/fixture_who', { word: 'hunter2' }, signal))
    await actAs(actor, () => broker.call('out/test_error_handling', {}, signal))
    const all = await records()[0]!.store.audit.list({ limit: 4 })
    const argumentsHash = createHash('sha256').update('{"word":"hunter2"}').digest('hex')
    expect(all.reverse()).toMatchObject([
      { ...by('tool.call', 'out/fixture_who'), detail: { argumentsHash, characters: 18 } },
      { ...by('tool.answer', 'out/fixture_who'), detail: { argumentsHash, outcome: 'answered' } },
      by('tool.call', 'out/test_error_handling'),
      { ...by('tool.answer', 'out/test_error_handling'), detail: { outcome: 'refused by the tool' } },
    ])
    expect(JSON.stringify(all)).not.toContain('hunter2')
  })
  const by = (action: string, subject: string) => ({ actor: 'agent:ada', runId: 'run-7', action, subject })

  it('[TO12] truncates an answer and removes invisible characters and content that is not text', async () => {
    const said = `Hi\u200B \u{E0041}there\n${'x'.repeat(40_000)}`
    const say = { ...sayTool(said), description: 'Says\u200B it \u{E0041}all.' }
    const table = { ...createFixtureTable(), tools: [say, ...fixture.tools] }
    const { endpoint } = await open(startOutsideServer(() => table))
    await register(endpoint, ['say', 'test_multiple_content_types', 'test_error_handling'])
    expect((await broker.describe('out/say')).descriptor.description).toBe('Says it all.')
    const { text, leftOut } = await broker.call('out/say', {}, signal)
    expect([text.slice(0, 12), text.length, leftOut]).toEqual(['Hi there\nxxx', 30_000, 10_009])
    expect((await broker.call('out/test_multiple_content_types', {}, signal)).text).toBe(
      'This is a simple text response for testing.\n\n[image left out]\n\nThis is an embedded resource.',
    )
    expect(await broker.call('out/test_error_handling', {}, signal)).toMatchObject({ isError: true })
  })

  it('[TO13] a redirect, a flood, invalid data, an error and silence each end a call with a reason', async () => {
    let reached = 0
    const elsewhere = await open(startServer((_, __, response) => void response.end(`${++reached}`)))
    let behaviour: keyof typeof BEHAVIOURS | null = null
    const { endpoint } = await open(
      startServer(async (request, body, response) => {
        if (behaviour && body.includes('tools/call')) return BEHAVIOURS[behaviour](response, elsewhere.endpoint)
        await forward(real.endpoint, request.headers, body, response)
      }),
    )
    const real = await open(startOutsideServer(() => fixture))
    await register(endpoint, ['test_simple_text'])
    for (const [kind, reason] of [
      ['redirect', 'redirects'],
      ['flood', 'more than 1000000 bytes'],
      ['endless stream', 'more than 1000000 bytes'],
      ['nonsense', 'did not respond'],
      ['empty stream', 'ended without a response'],
      ['broken', 'HTTP 503'],
      ['hang up', 'cannot be reached'],
      ['silence', 'did not respond within 2 seconds'],
    ] as const) {
      behaviour = kind
      await expect(broker.call('out/test_simple_text', {}, signal)).rejects.toMatchObject({
        code: 'tool_server_failed',
        message: expect.stringContaining(reason),
      })
    }
    expect(reached).toBe(0)
    behaviour = null
    expect(await broker.call('out/test_simple_text', {}, signal)).toMatchObject({ isError: false })
  })

  it.each([
    ['2026', () => startOutsideServer(() => fixture)],
    ['2025, with sessions and event streams', () => startSessionServer(fixture)],
  ])('[TO14] registers and calls a server of %s, and ends its session', async (_, start) => {
    const server = await open<OutsideServer & { readonly sessions?: Map<string, unknown> }>(start())
    await register(server.endpoint, ['fixture_who'])
    for (let n = 0; n < 3; n++)
      expect(await broker.call('out/fixture_who', { word: `${n}` }, signal)).toMatchObject({
        text: `{"caller":"operator","word":"${n}"}`,
      })
    expect(server.requests.filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(3)
    if (server.sessions) await expect.poll(() => server.sessions!.size).toBe(0)
  })

  it('[TO15] cancelling a call cancels the request to the outside server', async () => {
    const { endpoint } = await open(startOutsideServer(() => fixture))
    await register(endpoint, ['fixture_wait'])
    const stop = new AbortController()
    const waiting = broker.call('out/fixture_wait', {}, stop.signal)
    // Asserted below; a rejection before that must not count as unhandled.
    waiting.catch(() => {})
    await expect.poll(() => fixture.waits.started).toBe(1)
    stop.abort()
    await expect(waiting).rejects.toThrow()
    await expect.poll(() => fixture.waits.aborted).toBe(1)
    expect((await written('tool.answer')).at(-1)).toMatchObject({ detail: { outcome: 'cancelled' } })
  })
})

type Respond = (response: Parameters<Parameters<typeof startServer>[0]>[2], elsewhere: string) => void

const JSON_TYPE = { 'content-type': 'application/json' }
const STREAM = { 'content-type': 'text/event-stream' }
const BEHAVIOURS = {
  redirect: (response, elsewhere) => response.writeHead(307, { location: elsewhere }).end(),
  flood: (response) => response.writeHead(200, JSON_TYPE).end(`"${'x'.repeat(2_000_000)}"`),
  'endless stream'(response) {
    response.writeHead(200, STREAM)
    const more = () => {
      while (!response.destroyed && response.write(`: ${'x'.repeat(10_000)}\n\n`));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  },
  nonsense: (response) => response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":99,"result":{}}'),
  'empty stream': (response) => response.writeHead(200, STREAM).end('event: message\ndata: {"method":"x"}\n\n'),
  broken: (response) => response.writeHead(503).end('no'),
  'hang up': (response) => response.destroy(),
  silence() {},
} satisfies Record<string, Respond>

async function forward(
  endpoint: string,
  headers: NodeJS.Dict<string | string[]>,
  body: string,
  response: Parameters<Respond>[0],
): Promise<void> {
  const kept = Object.entries(headers).filter(([name]) => /^(?:accept|content-type|mcp-.+)$/.test(name))
  const answer = await fetch(endpoint, { method: 'POST', headers: kept as [string, string][], body })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(await answer.text())
}
