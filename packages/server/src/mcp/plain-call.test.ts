import { expect, it } from 'vitest'
import { readPlainCall } from './serve-http.ts'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const PROTOCOL = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const usual = { [`${META}protocolVersion`]: PROTOCOL, [`${META}clientCapabilities`]: {} }

interface Sent {
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
}

const plain = (name: string, args: unknown = {}, meta: object = usual): Sent => ({
  headers: { 'mcp-protocol-version': PROTOCOL, 'mcp-method': 'tools/call', 'mcp-name': name },
  body: { jsonrpc: '2.0', id: 'a1', method: 'tools/call', params: { name, arguments: args, _meta: meta } },
})

async function send({ headers, body }: Sent) {
  const answer = await fetch(`${server().url}/api/mcp/fixture`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${server().token}`,
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}

it('[MC29] a call on the fast path and the same call through the SDK get the same bytes', async () => {
  for (const [name, args] of [
    ['fixture_who', { word: 'ß 👻' }],
    ['fixture_who', undefined],
    ['fixture_who', { author: 'eve' }],
    ['test_multiple_content_types', {}],
    ['test_error_handling', {}],
    ['fixture_mistake', {}],
    ['fixture_wrong_answer', {}],
  ] as const) {
    const short = plain(name, args)
    const long = plain(name, args, { ...usual, progressToken: 1 })
    expect([readPlainCall(short.headers, short.body)?.name, readPlainCall(long.headers, long.body)]).toEqual([
      name,
      null,
    ])
    expect(await send(short)).toEqual(await send(long))
  }
  const client = { ...usual, [`${META}clientInfo`]: { name: 'x', version: '1' } }
  expect(readPlainCall(plain('x', {}, client).headers, plain('x', {}, client).body)).not.toBe(null)
})

it('[MC29] the SDK handles every unusual request', async () => {
  const good = plain('fixture_who')
  const params = good.body.params as object
  const unusual: readonly [string, Sent, number][] = [
    ['a different name in the header', { ...good, headers: { ...good.headers, 'mcp-name': 'test_simple_text' } }, 400],
    ['a different method in the header', { ...good, headers: { ...good.headers, 'mcp-method': 'tools/list' } }, 400],
    ['no protocol in the header', { ...good, headers: { ...good.headers, 'mcp-protocol-version': '' } }, 400],
    ['no such tool', plain('nothing'), 200],
    ['arguments of the wrong type', plain('fixture_who', 'word'), 200],
    ['no capabilities', plain('fixture_who', {}, { [`${META}protocolVersion`]: PROTOCOL }), 400],
    ['another protocol', plain('fixture_who', {}, { ...usual, [`${META}protocolVersion`]: '2031-01-01' }), 400],
    ['no id', { ...good, body: { ...good.body, id: null } }, 400],
    ['no version of JSON-RPC', { ...good, body: { ...good.body, jsonrpc: '1.0' } }, 400],
    ['no name', { ...good, body: { ...good.body, params: { ...params, name: 7 } } }, 200],
  ]
  for (const [what, sent, status] of unusual) {
    expect({ what, plain: readPlainCall(sent.headers, sent.body) === null || what === 'no such tool' }).toEqual({
      what,
      plain: true,
    })
    const answer = await send(sent)
    expect({ what, status: answer.status }).toEqual({ what, status })
    expect(JSON.parse(answer.body)).toHaveProperty('error')
  }
})
