import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { createFixtureTable } from '../mcp/test-fixture-table.ts'
import { type OutsideServer, startServer, startSessionServer } from './test-outside-server.ts'
import { readToolAnswer } from './tool-broker.ts'
import { createToolServerClient } from './tool-server-client.ts'

const client = createToolServerClient({ listMs: 10_000, callMs: 10_000 })
const signal = new AbortController().signal
const opened: OutsideServer[] = []
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())))

interface Rpc {
  readonly id?: number
  readonly method?: string
}
type Answer = (response: ServerResponse, rpc: Rpc) => unknown

const JSON_TYPE = { 'content-type': 'application/json' }
const STREAM = { 'content-type': 'text/event-stream' }
const HELLO = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
const DISCOVERED = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
const SAID = { resultType: 'complete', content: [{ type: 'text', text: 'said' }] }

const messageOf = ({ id }: Rpc, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result })
const sayJson = (response: ServerResponse, rpc: Rpc, result: unknown) =>
  response.writeHead(200, JSON_TYPE).end(messageOf(rpc, result))

async function open<S extends OutsideServer>(starting: Promise<S>): Promise<S> {
  const server = await starting
  opened.push(server)
  return server
}

/** A 2026 server that answers calls as the test decides. */
const openModern = (call: Answer) =>
  open(
    startServer((_, body, response) => {
      const rpc = JSON.parse(body || '{}') as Rpc
      return rpc.method === 'server/discover' ? sayJson(response, rpc, DISCOVERED) : call(response, rpc)
    }),
  )

const sent = ({ requests }: OutsideServer) => requests.map(({ method, rpc }) => rpc ?? method)
const call = (endpoint: string) => client.callTool(endpoint, 'tool', {}, signal)

describe('the client of outside servers', () => {
  it('[TO13] many tiny events end the call, and so does an endless response', async () => {
    for (const [body, reason] of [
      ['data:1\n\n'.repeat(100_000), 'more than 20000 lines'],
      ['\r'.repeat(100_000), 'more than 20000 lines'],
      [`data: ${'x'.repeat(1_200_000)}`, 'more than 1000000 bytes'],
    ] as const) {
      const { endpoint } = await openModern((response) => response.writeHead(200, STREAM).end(body))
      await expect(call(endpoint)).rejects.toMatchObject({
        code: 'tool_server_failed',
        message: expect.stringContaining(reason),
      })
    }
  })

  it('[TO13] a connection that breaks during a response ends the call with a reason', async () => {
    for (const type of [JSON_TYPE, STREAM]) {
      const { endpoint } = await openModern((response) => {
        response.writeHead(200, type).write('data: {"jsonrpc"', () => response.destroy())
      })
      await expect(call(endpoint)).rejects.toMatchObject({ code: 'tool_server_failed' })
    }
  })

  it('[TO14] reads an event stream however it is split, and leaves it when the answer has arrived', async () => {
    let closed = 0
    const { endpoint } = await openModern(async (response, rpc) => {
      response.writeHead(200, STREAM).once('close', () => closed++)
      const event = `: hello\r\n\r\nevent: message\r\ndata: ${messageOf(rpc, { content: [{ type: 'text', text: 'zwölf' }] })}\r\n\r\n`
      for (const byte of Buffer.from(event)) await new Promise((written) => response.write(Buffer.of(byte), written))
    })
    expect(readToolAnswer(await call(endpoint)).text).toBe('zwölf')
    await expect.poll(() => closed).toBe(1)
  })

  it.each<[string, Answer]>([
    [
      'an error without an id',
      (response) =>
        response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'),
    ],
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>')],
    ['not found', (response) => response.writeHead(404).end()],
    ['an empty stream', (response) => response.writeHead(200, STREAM).end()],
    ['invalid versions', (response, rpc) => sayJson(response, rpc, { supportedVersions: [1, 'x'] })],
  ])('[TO14] uses the older protocol for a 2025 server that answers the newer one with %s', async (_, discover) => {
    const server = await open(
      startServer((__, body, response) => {
        const rpc = JSON.parse(body || '{}') as Rpc
        if (rpc.method === 'server/discover') return discover(response, rpc)
        if (rpc.method === 'notifications/initialized') return response.writeHead(202).end()
        return sayJson(response, rpc, rpc.method === 'initialize' ? HELLO : SAID)
      }),
    )
    expect(readToolAnswer(await call(server.endpoint)).text).toBe('said')
    expect(sent(server)).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call'])
  })

  it('[TO15] notifies a server with sessions of a cancelled call and ends the session', async () => {
    const fixture = createFixtureTable()
    const server = await open(startSessionServer(fixture))
    const stop = new AbortController()
    const waiting = client.callTool(server.endpoint, 'fixture_wait', {}, stop.signal)
    // Asserted below; a rejection before that must not count as unhandled.
    waiting.catch(() => {})
    await expect.poll(() => fixture.waits.started).toBe(1)
    stop.abort()
    await expect(waiting).rejects.toBe(stop.signal.reason)
    await expect.poll(() => server.sessions.size).toBe(0)
    expect(fixture.waits.aborted).toBe(1)
    expect(sent(server).slice(-2)).toEqual(['notifications/cancelled', 'DELETE'])
  })

  it('[TO15] a call cancelled before it begins sends nothing; one cancelled during the version check sends no call', async () => {
    const server = await open(startServer(() => {}))
    await expect(client.callTool(server.endpoint, 'tool', {}, AbortSignal.abort())).rejects.toThrow()
    expect(server.requests).toEqual([])
    const stop = new AbortController()
    const asking = client.callTool(server.endpoint, 'tool', {}, stop.signal)
    // Asserted below; a rejection before that must not count as unhandled.
    asking.catch(() => {})
    await expect.poll(() => sent(server)).toEqual(['server/discover'])
    stop.abort()
    await expect(asking).rejects.toBe(stop.signal.reason)
    expect(sent(server)).toEqual(['server/discover'])
  })
})

const refuse =
  (status: number, headers: Record<string, string>, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body)

describe('responses of outside servers', () => {
  it.each<[string, Answer]>([
    [
      'that headers are missing',
      (response, { id }) =>
        response
          .writeHead(400, JSON_TYPE)
          .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32020, message: 'mismatch' } })),
    ],
    [
      'with a question',
      (response, rpc) =>
        sayJson(response, rpc, { resultType: 'input_required', requestState: 'again', inputRequests: {} }),
    ],
    ['that one has to sign in', refuse(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:1/x"' })],
    ['that a scope is missing', refuse(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="all"' })],
    ['that it is busy', refuse(503, { 'retry-after': '0' })],
    ['with a stream to come back to', refuse(200, STREAM, 'id: 7\nretry: 1\ndata: \n\n')],
    ['with nothing', refuse(202, {})],
  ])('[TO19] sends a call that is answered %s only once, and nothing else', async (_, answer) => {
    const server = await openModern(answer)
    await call(server.endpoint).catch(({ code }) => expect(code).toBe('tool_server_failed'))
    expect(sent(server)).toEqual(['server/discover', 'tools/call'])
  })

  it('[TO19] a question instead of an answer is a failure', async () => {
    const { endpoint } = await openModern((response, rpc) => sayJson(response, rpc, { resultType: 'input_required' }))
    await expect(call(endpoint)).rejects.toMatchObject({
      message: expect.stringContaining('asks a question instead of answering'),
    })
  })

  it('[TO19] ignores requests and notifications in a stream, and does not open the notification stream', async () => {
    const server = await open(
      startServer((_, body, response) => {
        const rpc = JSON.parse(body || '{}') as Rpc
        if (rpc.method === 'server/discover') return response.writeHead(404).end()
        if (rpc.method === 'initialize') return sayJson(response, rpc, HELLO)
        if (rpc.method === 'notifications/initialized') return response.writeHead(202).end()
        const asked = ['ping', 'roots/list', 'sampling/createMessage', 'notifications/tools/list_changed'].map(
          (method, id) => `data: ${JSON.stringify({ jsonrpc: '2.0', method, ...(id < 3 && { id: `s${id}` }) })}\n\n`,
        )
        return response.writeHead(200, STREAM).end(`${asked.join('').repeat(50)}data: ${messageOf(rpc, SAID)}\n\n`)
      }),
    )
    expect(readToolAnswer(await call(server.endpoint)).text).toBe('said')
    expect(sent(server)).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call'])
  })

  it('[TO20] neither applies nor loads a hostile schema', async () => {
    const elsewhere = await open(startServer((_, __, response) => response.end('{}')))
    const tool = {
      name: 'tool',
      inputSchema: { type: 'object', properties: { x: { $ref: elsewhere.endpoint, 'x-mcp-header': 'Authorization' } } },
      outputSchema: {
        $schema: elsewhere.endpoint,
        type: 'object',
        properties: { text: { type: 'string', pattern: '^(a+)+$' }, more: { $ref: `${elsewhere.endpoint}#/x` } },
      },
    }
    const structuredContent = { text: `${'a'.repeat(60)}!` }
    const { endpoint } = await openModern((response, rpc) =>
      sayJson(response, rpc, {
        resultType: 'complete',
        ttlMs: 60_000,
        cacheScope: 'public',
        ...(rpc.method === 'tools/list' ? { tools: [tool] } : { content: [], structuredContent }),
      }),
    )
    expect(await client.listTools(endpoint)).toEqual([tool])
    expect(readToolAnswer(await call(endpoint))).toMatchObject({
      text: JSON.stringify(structuredContent),
      isError: false,
    })
    expect(elsewhere.requests).toEqual([])
  })

  // Describing each fault of such an answer would block everything for longer than this timeout.
  it('[TO20] passes on an answer full of faults as fast as any other', { timeout: 20_000 }, async () => {
    const faults = Array.from({ length: 330_000 }, () => ({}))
    const { endpoint } = await openModern((response, rpc) =>
      sayJson(response, rpc, {
        resultType: 'complete',
        ...(rpc.method === 'tools/list' ? { tools: faults } : { content: faults }),
      }),
    )
    expect(await client.listTools(endpoint)).toHaveLength(faults.length)
    expect(await call(endpoint)).toMatchObject({ result: { content: { length: faults.length } } })
  })
})
