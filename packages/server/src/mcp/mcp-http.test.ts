import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { connectClient, ERAS, useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const addressOf = (name: string) => `${server().url}/api/mcp/${name}`
const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]!.text
const post = (path: string, body: unknown, headers: Record<string, string> = {}, signal: AbortSignal | null = null) =>
  fetch(server().url + path, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${server().token}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const call = (name: string, args: unknown = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function within<T>(credential: string, name: string, era: (typeof ERAS)[number][1], work: (c: Client) => T) {
  const client = await connectClient(addressOf(name), credential, era)
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

describe.each(ERAS)('MCP over HTTP for a client of %s', (era, negotiation) => {
  it('[MC1] lists every tool with its schemas, and the memory works end to end', async () => {
    const { secret, runId } = await server().startRun('ada', 'writers')
    await within(secret, 'memory', negotiation, async (client) => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['memory_save', 'memory_search', 'memory_browse', 'memory_forget'])
      for (const tool of tools) {
        expect(tool).toMatchObject({ description: expect.any(String), title: expect.any(String) })
        expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
        expect(tool.outputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      }
      const saved = await client.callTool({
        name: 'memory_save',
        arguments: { text: `Deploy ${era} with care`, sources: ['agent', 'tool'] },
      })
      expect(saved.structuredContent).toMatchObject({
        memory: { author: 'agent:ada', runId, trust: 'tool', scope: 'agent' },
      })
      const found = await client.callTool({ name: 'memory_search', arguments: { query: `deploy ${era}` } })
      expect(found.structuredContent).toMatchObject({ memories: [{ text: `Deploy ${era} with care` }], hasMore: false })
      expect(JSON.parse(textOf(found))).toEqual(found.structuredContent)
      const { memory } = saved.structuredContent as { memory: { id: string } }
      const gone = await client.callTool({ name: 'memory_forget', arguments: { id: memory.id } })
      expect(gone.structuredContent).toEqual({ forgotten: memory.id })
      const rest = await client.callTool({ name: 'memory_browse', arguments: {} })
      expect(rest.structuredContent).toEqual({ memories: [], hasMore: false })
    })
  })

  it('[MC2] the credential determines the caller', async () => {
    const { secret, runId } = await server().startRun('bob', 'writers')
    const who = (client: Client) => client.callTool({ name: 'fixture_who', arguments: { word: 'x' } })
    expect((await within(secret, 'fixture', negotiation, who)).structuredContent).toEqual({
      caller: `bob/writers/${runId}`,
      word: 'x',
    })
    expect((await within(server().token, 'fixture', negotiation, who)).structuredContent).toMatchObject({
      caller: 'operator',
    })
  })

  it('[MC3] a tool outside the grant is neither listed nor callable', async () => {
    const { secret } = await server().startRun('ada', 'writers', { tools: ['memory_search'] })
    await within(secret, 'memory', negotiation, async (client) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['memory_search'])
      await expect(client.callTool({ name: 'memory_save', arguments: { text: 'x' } })).rejects.toThrow(/no tool/)
      await expect(client.callTool({ name: 'nonsense', arguments: {} })).rejects.toThrow(/no tool/)
    })
  })

  it('[MC5] a refusal includes its code; an internal error or a mistake reveals nothing', async () => {
    await within(server().token, 'fixture', negotiation, async (client) => {
      const fail = async (name: string) => {
        const answer = await client.callTool({ name, arguments: {} })
        expect(answer.isError).toBe(true)
        return textOf(answer)
      }
      expect(await fail('test_error_handling')).toBe('this tool always fails (agent_busy)')
      expect(await fail('fixture_inner')).toBe('the server cannot do this now; try again later (store_unavailable)')
      expect(await fail('fixture_mistake')).not.toContain('hunter2')
      expect(server().records.lines.join('\n')).toContain('the password is hunter2')
    })
  })

  it('[MC8] closing the connection of a call cancels the tool', async () => {
    const { waits } = server().fixture
    const before = { ...waits }
    const stop = new AbortController()
    await within(server().token, 'fixture', negotiation, async (client) => {
      // A client from before 2026 does not close the connection when it cancels, only when it exits.
      const waiting =
        era === '2026'
          ? client.callTool({ name: 'fixture_wait', arguments: {} }, { signal: stop.signal })
          : post('/api/mcp/fixture', call('fixture_wait'), {}, stop.signal)
      // Asserted below; a rejection before that must not count as unhandled.
      waiting.catch(() => {})
      await expect.poll(() => waits.started).toBe(before.started + 1)
      stop.abort()
      await expect(waiting).rejects.toThrow()
    })
    await expect.poll(() => waits.aborted).toBe(before.aborted + 1)
  })

  it('[MC9] a result that does not match its schema is not sent', async () => {
    await within(server().token, 'fixture', negotiation, async (client) => {
      const answer = await client.callTool({ name: 'fixture_wrong_answer', arguments: {} })
      expect([answer.isError, JSON.stringify(answer).includes('hunter2')]).toEqual([true, false])
    })
  })
})

describe('MCP over plain HTTP', () => {
  it('[MC4] refuses an unknown argument by name', async () => {
    for (const args of [
      { text: 'x', authorAgentId: 'bob' },
      { text: 'x', agentId: 'bob', teamId: 'others' },
      { text: 'x', author: 'operator', runId: 'r' },
    ]) {
      const answer = (await (await post('/api/mcp/memory', call('memory_save', args))).json()) as { result: unknown }
      expect(answer).toMatchObject({ id: 7, result: { isError: true } })
      expect(textOf(answer.result)).toContain(Object.keys(args)[1])
    }
    const bad = await (await post('/api/mcp/memory', call('memory_save', { text: 'x', sources: ['operator'] }))).json()
    expect(bad).toMatchObject({ result: { isError: true } })
  })

  it('[MC6] other methods get 405; batches, large bodies and invalid JSON are refused', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await fetch(addressOf('memory'), {
        method,
        headers: { authorization: `Bearer ${server().token}` },
      })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 }, id: null })
    }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const good = await post('/api/mcp/memory', list)
    expect([good.status, good.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect((await post('/api/mcp/memory', [list])).status).toBe(400)
    expect((await post('/api/mcp/memory', '{"jsonrpc":')).status).toBe(400)
    expect((await post('/api/mcp/memory', `"${'x'.repeat(1_100_000)}"`)).status).toBe(413)
    expect((await post('/api/mcp/memory', list, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post('/api/mcp/nothing', list)).status).toBe(404)
    expect((await post('/api/mcp/constructor', list)).status).toBe(404)
    expect((await post('/api/mcp/memory?colour=red', list)).status).toBe(400)
    expect((await post('/api/mcp/memory', { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
  })

  it('[MC6] never opens a stream, even for a 2026 client that subscribes', async () => {
    const ask = (method: string, version = '2026-07-28') =>
      post(
        '/api/mcp/memory',
        {
          jsonrpc: '2.0',
          id: 3,
          method,
          params: {
            notifications: { toolsListChanged: true },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': version,
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        },
        { 'mcp-protocol-version': version, 'mcp-method': method },
      )
    const found = await ask('server/discover')
    expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/json'])
    const refused = await ask('subscriptions/listen')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([404, 'application/json'])
    expect(await refused.json()).toMatchObject({ id: 3, error: { code: -32601 } })
    const unknown = await ask('tools/list', '2031-01-01')
    expect([unknown.status, await unknown.json()]).toMatchObject([400, { error: { code: -32022 } }])
  })

  it('[MC7] an ended grant gets 401 as a bearer token, and there is no login to discover', async () => {
    const run = await server().startRun('ada', 'writers')
    await run.end()
    const answer = await post('/api/mcp/memory', call('memory_browse'), { authorization: `Bearer ${run.secret}` })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32001 }, id: null })
    for (const [method, path] of [
      ['GET', '/.well-known/oauth-protected-resource'],
      ['GET', '/.well-known/oauth-protected-resource/api/mcp/memory'],
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/.well-known/openid-configuration'],
      ['POST', '/register'],
      ['GET', '/register'],
    ] as const)
      expect((await fetch(server().url + path, { method })).status).toBe(404)
  })

  it('[MC2] the address may repeat the binding of the grant, or contain the grant itself', async () => {
    const { secret, runId } = await server().startRun('ada', 'writers')
    const path = `/api/mcp/fixture?grant=${secret}&roomTeamId=writers&postAuthorAgentId=ada`
    const answer = await fetch(server().url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(call('fixture_who')),
    })
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { caller: `ada/writers/${runId}` } } })
    expect((await post(path, call('fixture_who'))).status).toBe(400)
    const unbound = await post('/api/mcp/fixture?roomTeamId=others&postAuthorAgentId=eve', call('fixture_who'))
    expect(await unbound.json()).toMatchObject({ result: { structuredContent: { caller: 'operator' } } })
    expect(server().records.lines.join('\n')).not.toContain(secret)
  })

  it('[SE33] a run that sends too many requests must wait; others are not affected', async () => {
    const { secret } = await server().startRun('ada', 'writers')
    const { secret: other } = await server().startRun('bob', 'writers')
    const statuses = new Set<number>()
    for (let n = 0; n < 12; n++) {
      const burst = Array.from({ length: 25 }, () =>
        fetch(addressOf('fixture'), { headers: { authorization: `Bearer ${secret}` } }).then(({ status }) => status),
      )
      for (const status of await Promise.all(burst)) statuses.add(status)
    }
    expect([...statuses].sort()).toEqual([405, 429])
    for (const credential of [other, server().token])
      expect((await post('/api/mcp/fixture', call('fixture_who'), { authorization: `Bearer ${credential}` })).ok).toBe(
        true,
      )
  })
})
