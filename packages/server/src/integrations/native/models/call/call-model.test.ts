import { getEventListeners } from 'node:events'
import { refusedUrl, type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../../session/message.ts'
import type { ModelDone, ModelEvent, ModelFailed, ModelRequest } from '../model-request.ts'
import type { Wire } from '../providers/provider-list.ts'
import {
  assistant,
  call,
  collect,
  modelRow,
  PIXEL,
  request,
  result,
  rowFor,
  script,
  user,
  WIRES,
} from '../test-requests.ts'
import { type CallOptions, type CallTarget, callModel } from './call-model.ts'
import { createModelFactory } from './create-model.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await startScriptedModel()
})
afterAll(() => server.close())

async function targetOf(wire: Wire, rest: Partial<CallTarget> = {}, baseUrl = `${server.url}/v1`): Promise<CallTarget> {
  const row = rowFor(wire, baseUrl)
  const factory = await createModelFactory(row, { key: 'secret-key-1', fetch, demoWordDelayMs: 0 })
  return { model: factory('m'), row, modelRow: modelRow(), key: 'secret-key-1', ...rest }
}
const options = (rest: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  now: Date.now,
  ...rest,
})
async function play(
  wire: Wire,
  asked: ModelRequest | readonly Message[],
  rest: Partial<CallOptions> = {},
  target: Partial<CallTarget> = {},
) {
  const events = await collect(
    callModel(await targetOf(wire, target), 'tools' in asked ? asked : request(asked), options(rest)),
  )
  return { events, end: events.at(-1) as unknown as Omit<ModelDone, 'type'> & Omit<ModelFailed, 'type' | 'usage'> }
}
const textOf = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.delta : '')).join('')
const bodyOf = () => server.requests.at(-1)!.body as Record<string, unknown>
const EVERY = [...WIRES, 'demo'] as const

describe.each(EVERY)('%s', (wire) => {
  test('[NR230] a call yields deltas that add up to the content, and one end', async () => {
    const { events, end } = await play(wire, [
      script([
        { think: 'let me see' },
        { say: 'Hello there friend' },
        { callTool: 'read', with: { path: 'a' } },
        { callTool: 'read', with: { path: 'b' } },
      ]),
    ])
    expect(events.filter((event) => event.type === 'done' || event.type === 'failed')).toHaveLength(1)
    expect(end).toMatchObject({ type: 'done', stopReason: 'toolUse', badArguments: {}, isRefusal: false })
    expect(textOf(events)).toBe('Hello there friend')
    expect(end.content.filter((part) => part.type !== 'thinking')).toMatchObject([
      { type: 'text', text: 'Hello there friend' },
      { type: 'toolCall', name: 'read', arguments: { path: 'a' } },
      { type: 'toolCall', name: 'read', arguments: { path: 'b' } },
    ])
    const calls = end.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))
    const args = events.filter(
      (event) => event.type === 'toolArgs' && event.callId === calls[0] && event.toolName === 'read',
    )
    expect(args.map((event) => (event as { delta: string }).delta).join('')).toBe('{"path":"a"}')
    if (wire !== 'openai-chat') expect(end.content[0]).toMatchObject({ type: 'thinking', thinking: 'let me see' })
    expect(end.usage.input).toBeGreaterThan(0)
    expect(end.usage.output).toBeGreaterThan(0)
  })

  test('[NR230] the answer of a model goes back to it in the next call', async () => {
    const first = script(
      [{ think: 'hm' }, { say: 'One' }, { callTool: 'read', with: { path: 'a' } }],
      [{ echo: 'toolResults' }],
    )
    const { end } = await play(wire, [first])
    const id = end.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))[0]!
    const stored = JSON.parse(
      JSON.stringify(assistant(end.content, { provider: 'local', model: 'm', stopReason: 'toolUse' })),
    )
    const again = await play(wire, [first, stored, result(id, { content: [{ type: 'text', text: 'file text' }] })])
    expect(again.end).toMatchObject({ type: 'done', stopReason: 'stop' })
    expect(textOf(again.events)).toBe('file text')
    expect(again.end.warnings.filter((warning) => !warning.startsWith('maxOutputTokens'))).toEqual([])
  })

  test('[NR231] an incomplete tool call at a proper end is a failure without calls', async () => {
    const { end } = await play(wire, [script([{ say: 'I will' }, { halfCall: 'read' }])])
    expect(end).toMatchObject({ type: 'failed', kind: 'network', retryable: true, aborted: false })
    expect(end.content).toEqual(end.content.filter((part) => part.type !== 'toolCall'))
    expect(end.content).toMatchObject([{ type: 'text', text: 'I will' }])
  })

  test('[NR232] an abort during a call, with or without a reason, closes the connection', async () => {
    for (const reason of [undefined, new Error('the person stopped it')]) {
      const controller = new AbortController()
      const events: ModelEvent[] = []
      for await (const event of callModel(
        await targetOf(wire),
        request([script([{ say: 'one two' }, { stall: true }])]),
        options({ signal: controller.signal }),
      )) {
        events.push(event)
        if (textOf(events) === 'one two') controller.abort(reason)
      }
      expect(events.at(-1)).toMatchObject({ type: 'failed', kind: 'aborted', aborted: true, retryable: false })
      expect((events.at(-1) as ModelFailed).content).toMatchObject([{ text: 'one two' }])
    }
    expect((await play(wire, [script([{ say: 'x' }])], { signal: AbortSignal.abort() })).end).toMatchObject({
      kind: 'aborted',
    })
  })

  test('[NR233] a model that falls silent is a timeout', async () => {
    const { end } = await play(wire, [script([{ say: 'one' }, { stall: true }])], { idleMs: 60 })
    expect(end).toMatchObject({ type: 'failed', kind: 'timeout', retryable: true, aborted: false })
    expect(end.message).toMatch(/silent/)
  })

  test('[NR233] a slow reader does not count as a silent model', async () => {
    const events: ModelEvent[] = []
    for await (const event of callModel(
      await targetOf(wire),
      request([script([{ say: 'one two three' }])]),
      options({ idleMs: 700 }),
    )) {
      events.push(event)
      if (events.length === 1) await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    expect(events.at(-1)).toMatchObject({ type: 'done' })
  })

  test('[NR234] arguments that are not a JSON object become {} and are reported as raw text', async () => {
    const { end } = await play(wire, [
      script([
        { badArguments: 'read', text: '{"path": ' },
        { badArguments: 'read', text: '[1]' },
      ]),
    ])
    expect(end).toMatchObject({ type: 'done', stopReason: 'toolUse' })
    expect(end.content).toMatchObject([
      { type: 'toolCall', arguments: {} },
      { type: 'toolCall', arguments: {} },
    ])
    expect(Object.values(end.badArguments)).toEqual(['{"path": ', '[1]'])
  })

  test('[NR234] a tool call cut off by the output limit is dropped', async () => {
    const { end } = await play(wire, [
      script([{ say: 'so' }, { badArguments: 'read', text: '{"path": "a' }, { end: { reason: 'length' } }]),
    ])
    expect(end).toMatchObject({
      type: 'done',
      stopReason: 'length',
      content: [{ type: 'text', text: 'so' }],
      badArguments: {},
    })
  })

  test('[NR235] tool calls decide the stop reason, and the output limit and the content filter are reported', async () => {
    expect((await play(wire, [script([{ say: 'long' }, { end: { reason: 'length' } }])])).end).toMatchObject({
      stopReason: 'length',
    })
    expect((await play(wire, [script([{ say: 'no' }, { end: { reason: 'content-filter' } }])])).end).toMatchObject({
      type: 'done',
      stopReason: 'stop',
      isRefusal: true,
    })
  })

  test('[NR236] a cut or refused connection is a retryable network failure', async () => {
    for (const step of [{ cut: true }, { refuse: true }])
      expect((await play(wire, [script([{ say: 'one' }, step])])).end).toMatchObject({
        type: 'failed',
        kind: 'network',
        retryable: true,
      })
  })

  test('[NR243] an error status and an error in the stream have a kind, a status and a retry-after', async () => {
    const fail = async (failure: object) => (await play(wire, [script([{ fail: failure }])])).end
    expect(await fail({ status: 429, retryAfter: 7, message: 'Slow down' })).toMatchObject({
      kind: 'rate_limit',
      status: 429,
      retryAfterMs: 7000,
      retryable: true,
    })
    expect(await fail({ status: 401, message: 'bad key' })).toMatchObject({
      kind: 'auth',
      retryable: false,
      content: [],
    })
    expect(await fail({ status: 500 })).toMatchObject({ kind: 'overloaded', retryable: true })
    expect(await fail({ status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' })).toMatchObject({
      kind: 'context_overflow',
    })
    expect(await fail({ status: 400, message: 'nope' })).toMatchObject({ kind: 'format', retryable: false })
    const midway = await play(wire, [
      script([{ say: 'one' }, { fail: { status: 529, message: 'Overloaded', code: 'overloaded_error' } }]),
    ])
    expect(midway.end).toMatchObject({
      type: 'failed',
      kind: 'overloaded',
      retryable: true,
      content: [{ text: 'one' }],
    })
  })

  test('[NR244] overflow messages inside an answer are ordinary text', async () => {
    const { end } = await play(wire, [script([{ say: 'prompt is too long: 9 tokens > 8 maximum' }])])
    expect(end).toMatchObject({ type: 'done', stopReason: 'stop' })
  })

  test('[NR238] cached tokens are counted separately, each with its price', async () => {
    const prices = { input: 10, output: 100, cacheRead: 1, cacheWrite: 12 }
    const { end } = await play(
      wire,
      [script([{ usage: { input: 1000, output: 50, cacheRead: 400 } }, { say: 'x' }])],
      {},
      { modelRow: modelRow({ prices }) },
    )
    expect(end.usage).toMatchObject({ input: 600, cacheRead: 400, output: 50, totalTokens: 1050 })
    expect(end.usage.costUsd).toBeCloseTo((600 * 10 + 400 + 50 * 100) / 1e6, 12)
  })

  test('[NR240] a prompt that a provider silently truncated is an overflow', async () => {
    const window = { modelRow: modelRow({ contextWindow: 1000 }) }
    const usage = (input: number, output = 5) => ({ usage: { input, output } })
    expect((await play(wire, [script([usage(1001), { say: 'x' }])], {}, window)).end).toMatchObject({
      kind: 'context_overflow',
    })
    expect((await play(wire, [script([usage(990, 0), { end: { reason: 'length' } }])], {}, window)).end).toMatchObject({
      kind: 'context_overflow',
    })
    expect((await play(wire, [script([usage(980, 0), { end: { reason: 'length' } }])], {}, window)).end).toMatchObject({
      stopReason: 'length',
    })
    expect((await play(wire, [script([usage(1000), { say: 'x' }])], {}, window)).end).toMatchObject({ type: 'done' })
  })

  test('[NR241] a call id that already occurs in the conversation is replaced', async () => {
    const asked = script(
      [{ callTool: 'read', id: 'call_0' }],
      [{ callTool: 'read', id: 'call_0' }],
      [{ echo: 'toolResults' }],
    )
    const first = await play(wire, [asked])
    expect(first.end.content).toMatchObject([{ id: 'call_0' }])
    const messages = [
      asked,
      assistant(first.end.content),
      result('call_0', { content: [{ type: 'text', text: 'first' }] }),
    ]
    const second = await play(wire, messages)
    expect(second.end.content).toMatchObject([{ id: 'call_0_2' }])
    const third = await play(wire, [
      ...messages,
      assistant(second.end.content),
      result('call_0_2', { content: [{ type: 'text', text: 'second' }] }),
    ])
    expect(textOf(third.events)).toBe('first\n\nsecond')
  })

  test('[NR221] an invalid request fails without a call', async () => {
    const before = server.requests.length
    const { events } = await play(wire, [user('go'), assistant([call('a')])])
    expect(events).toMatchObject([{ type: 'failed', kind: 'format', retryable: false }])
    expect(server.requests).toHaveLength(before)
  })
})

describe.each(WIRES)('%s over HTTP', (wire) => {
  test('[NR212] an answer ends at the vendor’s last event even if the connection stays open', async () => {
    const { end } = await play(wire, [script([{ say: 'all said' }, { callTool: 'read' }, { openSocket: true }])], {
      idleMs: 5000,
    })
    expect(end).toMatchObject({ type: 'done', stopReason: 'toolUse' })
  })

  test('[NR236] a web page instead of an answer is a failure, with 200 and with 502', async () => {
    const page = (status: number) => ({
      answer: { status, headers: { 'content-type': 'text/html' }, body: '<html><body>Sign in</body></html>' },
    })
    expect((await play(wire, [script([page(200)])])).end).toMatchObject({ type: 'failed', content: [] })
    expect((await play(wire, [script([page(502)])])).end).toMatchObject({
      type: 'failed',
      kind: 'overloaded',
      status: 502,
    })
  })

  test('[NR211] a redirect is refused and nothing reaches the other host', async () => {
    const other = await startScriptedModel()
    const answer = { status: 307, headers: { location: `${other.url}/v1/chat/completions` } }
    expect((await play(wire, [script([{ answer }])])).end).toMatchObject({
      type: 'failed',
      kind: 'network',
      retryable: false,
    })
    expect(other.requests).toHaveLength(0)
    await other.close()
  })

  test('[NR210] keys and addresses in the environment are ignored', async () => {
    const names = [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'ANTHROPIC_BASE_URL',
      'OPENAI_BASE_URL',
      'ANTHROPIC_AUTH_TOKEN',
    ]
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = name.endsWith('URL') ? 'http://127.0.0.1:9/v1' : 'leaked-from-env'
    try {
      for (const key of [null, 'secret-key-1']) {
        const row = rowFor(wire, `${server.url}/v1`)
        const model = (await createModelFactory(row, { key, fetch }))('m')
        const events = await collect(
          callModel({ model, row, modelRow: modelRow(), key }, request([script([{ say: 'x' }])]), options()),
        )
        expect(events.at(-1)).toMatchObject({ type: 'done' })
        expect(JSON.stringify(server.requests.at(-1)!.headers)).not.toContain('leaked')
      }
    } finally {
      names.forEach((name, at) => {
        if (before[at] === undefined) delete process.env[name]
        else process.env[name] = before[at]
      })
    }
  })

  test('[NR239] stopping the iteration early closes the connection', async () => {
    for await (const event of callModel(
      await targetOf(wire),
      request([script([{ say: 'one' }, { stall: true }])]),
      options(),
    ))
      if (event.type === 'text') break
    await expect.poll(() => server.requests.at(-1)!.clientClosedAt).not.toBeNull()
  })

  test('[NR245] a failure does not reveal the key', async () => {
    const { end } = await play(wire, [
      script([{ fail: { status: 401, message: 'Incorrect API key provided: secret-key-1' } }]),
    ])
    expect(end.message).not.toContain('secret-key-1')
    expect(end.message).toContain('[key]')
  })

  test('[NR236] a refused port is a network failure', async () => {
    const target = await targetOf(wire, {}, `${await refusedUrl()}/v1`)
    const events = await collect(callModel(target, request([user('hi')]), options()))
    expect(events).toMatchObject([{ type: 'failed', kind: 'network', retryable: true, status: null }])
  })

  test('[NR222] an image from a tool is never sent as text', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: PIXEL } as const
    await play(wire, [script([{ say: '' }], [{ say: 'x' }]), assistant([call('a')]), result('a', { content: [image] })])
    const sent = JSON.stringify(bodyOf())
    expect(sent.split(PIXEL)).toHaveLength(2)
    expect(sent).toMatch(
      wire === 'anthropic' ? /"type":"base64","media_type":"image\/png"/ : /"data:image\/png;base64,/,
    )
  })
})

test('[NR237] unknown events are ignored if the answer ends properly', async () => {
  const raw = { raw: 'data: {"choices":"unknown shape"}\n\ndata: not json\n\n' }
  expect((await play('openai-compatible', [script([{ say: 'one' }, raw, { say: ' two' }])])).end).toMatchObject({
    type: 'done',
    content: [{ text: 'one two' }],
  })
  const event = { raw: 'event: brand_new\ndata: {"type":"brand_new","x":1}\n\n' }
  expect((await play('anthropic', [script([{ say: 'one' }, event, { say: ' two' }])])).end).toMatchObject({
    type: 'done',
  })
})

test('[NR227] a request to OpenAI asks it to store nothing and refers to nothing stored', async () => {
  const first = script([{ think: 'hm' }, { say: 'One' }, { callTool: 'read' }], [{ say: 'Two' }])
  const { end } = await play('openai-responses', [first])
  const id = end.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))[0]!
  await play('openai-responses', [first, assistant(end.content), result(id)])
  expect(bodyOf()).toMatchObject({ store: false })
  expect(JSON.stringify(bodyOf())).not.toContain('item_reference')
  expect(JSON.stringify(bodyOf())).toContain('One')
})

test('[NR224] every cache mark reaches Anthropic', async () => {
  const messages = [
    script([{ say: 'x' }], [{ say: 'x' }], [{ say: 'x' }]),
    assistant([call('a'), call('b')]),
    result('a'),
    result('b'),
    user('and'),
  ]
  const { end } = await play(
    'anthropic',
    request(messages, { system: { text: 'stable volatile', cacheBoundary: 7 }, maxOutputTokens: 100 }),
  )
  expect(end.warnings).toEqual([])
  expect(JSON.stringify(bodyOf()).split('"cache_control"')).toHaveLength(5)
})

/** Sends the bytes of a misbehaving server through the real package. */
async function playBytes(body: string, chunkSize = body.length) {
  const fetch = async () => {
    const bytes = new TextEncoder().encode(body)
    const pieces = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, at) =>
      bytes.slice(at * chunkSize, (at + 1) * chunkSize),
    )
    return new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } })
  }
  const row = rowFor('openai-compatible', 'http://127.0.0.1:1/v1')
  const model = (await createModelFactory(row, { key: null, fetch }))('m')
  return (
    await collect(callModel({ model, row, modelRow: modelRow(), key: null }, request([user('hi')]), options()))
  ).at(-1)!
}
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const toolCalls = [{ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: '' } }]

test('[NR235] a server that reports stop together with a call has requested a tool', async () => {
  expect(await playBytes(`${chunk({ tool_calls: toolCalls })}${chunk({}, 'stop')}data: [DONE]\n\n`)).toMatchObject({
    type: 'done',
    stopReason: 'toolUse',
    content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: {} }],
  })
})

test('[NR231] an answer that announces tools but has no call is a failure', async () => {
  expect(await playBytes(`${chunk({ content: 'hm' })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`)).toMatchObject({
    type: 'failed',
    kind: 'network',
    retryable: true,
  })
})

test('[NR212] the last event is found across chunks and line breaks, and not in the text of a model', async () => {
  const modelText = `data: [DONE]\n\nevent: message_stop\n\ndata: {"type":"response.completed"} ${'long '.repeat(4000)}`
  const body = `${chunk({ content: modelText })}${chunk({ content: ' end' }, 'stop')}data: [DONE]\n\n`
  for (const text of [body, body.replaceAll('\n', '\r\n')])
    for (const size of [1000, 7, text.length])
      expect(await playBytes(text, size)).toMatchObject({ type: 'done', content: [{ text: `${modelText} end` }] })
})

test('[NR239] a finished call leaves no listener on the signal of its run', async () => {
  const { signal } = new AbortController()
  for (let at = 0; at < 5; at++) await play('openai-compatible', [script([{ say: 'x' }])], { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
