import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scriptPrompt } from '../choose-turn.ts'
import { type ScriptedModel, startScriptedModel } from '../http-server.ts'
import type { ScriptTurn } from '../script.ts'
import { outcomeOf, PROVIDERS, type Provider, providerModel, scripted } from './test-providers.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await startScriptedModel()
})
afterAll(() => server.close())

const play = (provider: Provider, ...script: ScriptTurn) =>
  outcomeOf(providerModel(provider, server.url), { prompt: scripted(...script) })

const FULL: ScriptTurn = [
  { think: 'Let me see.' },
  { say: 'Hi there, “friend”.\nSo:' },
  { callTool: 'read', with: { path: 'ä.txt' } },
  { callTool: 'write', with: { path: 'b', content: 'x'.repeat(300) } },
  { usage: { input: 100, output: 20, cacheRead: 60 } },
]
const CALLS = ['read {"path":"ä.txt"}', `write {"path":"b","content":"${'x'.repeat(300)}"}`]

describe.each(PROVIDERS)('%s', (provider) => {
  test('[SM20] text, reasoning, tool calls, usage and the end arrive through a stream', async () => {
    const { parts, text, calls, finish, thrown } = await play(provider, ...FULL)
    expect(thrown).toBeNull()
    expect(parts.filter((part) => part.type === 'error')).toEqual([])
    expect(text).toBe('Hi there, “friend”.\nSo:')
    expect(calls).toEqual(CALLS)
    expect(finish).toBe('tool-calls')
    const reasoning = parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join('')
    expect(reasoning).toBe(provider === 'chat' ? '' : 'Let me see.')
    expect(parts.at(-1)).toMatchObject({
      usage: { inputTokens: { total: 100, noCache: 40, cacheRead: 60 }, outputTokens: { total: 20 } },
    })
  })

  test('[SM20] a response without a stream has the same content', async () => {
    const { content, finishReason, usage } = await providerModel(provider, server.url).doGenerate({
      prompt: scripted(...FULL),
    })
    const texts = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const calls = content.flatMap((part) => (part.type === 'tool-call' ? [`${part.toolName} ${part.input}`] : []))
    expect(texts).toBe('Hi there, “friend”.\nSo:')
    expect(calls).toEqual(CALLS)
    expect(content.some((part) => part.type === 'reasoning')).toBe(provider !== 'chat')
    expect(finishReason.unified).toBe('tool-calls')
    expect(usage).toMatchObject({ inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 20 } })
  })

  test.each(['length', 'content-filter'] as const)('[SM20] reports an end because of %s', async (reason) => {
    expect(await play(provider, { say: 'a' }, { end: { reason } })).toMatchObject({ text: 'a', finish: reason })
  })

  test('[SM20] reads a conversation with replies, results and added text turn by turn', async () => {
    const script = scriptPrompt([
      [{ callTool: 'read' }],
      [{ echo: 'toolResults' }, { say: '; ' }, { echo: 'lastUser' }],
    ])
    const prompt: LanguageModelV4Prompt = [
      { role: 'system', content: scriptPrompt([{ say: 'never' }]) },
      { role: 'user', content: [{ type: 'text', text: script }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'read', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'one' } },
          { type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'text', value: 'two' } },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and more' }] },
    ]
    const tools = [{ type: 'function' as const, name: 'read', inputSchema: { type: 'object' as const } }]
    const { text, thrown } = await outcomeOf(providerModel(provider, server.url), { prompt, tools })
    expect(thrown).toBeNull()
    expect(text).toBe('one\n\ntwo; and more')
  })

  test.each([
    [400, false],
    [401, false],
    [404, false],
    [429, true],
    [500, true],
    [529, true],
  ])('[SM21] status %i is an API error that can be retried: %s', async (status, isRetryable) => {
    const { thrown, parts } = await play(provider, { fail: { status, retryAfter: 7, message: 'Because.' } })
    expect(parts).toEqual([])
    expect(thrown).toMatchObject({
      name: 'AI_APICallError',
      message: 'Because.',
      statusCode: status,
      isRetryable,
      responseHeaders: { 'retry-after': '7' },
    })
    const body = JSON.parse(thrown?.responseBody as string)
    expect(body.error).toMatchObject({ message: 'Because.', type: expect.any(String) })
    expect(body.type).toBe(provider === 'anth' ? 'error' : undefined)
  })

  test('[SM21] the first event of a 200 can be an error', async () => {
    const { thrown, parts, finish } = await play(provider, { fail: { status: 529, inStream: true } })
    if (provider === 'compat') {
      expect(parts.find((part) => part.type === 'error')).toMatchObject({ error: { message: expect.any(String) } })
      expect(finish).toBe('error')
    } else expect(thrown).toMatchObject({ isRetryable: true, statusCode: provider === 'anth' ? 529 : 503 })
  })

  test('[SM21] an error in the middle of a stream reaches the caller', async () => {
    const { thrown, text, parts, finish } = await play(
      provider,
      { say: 'half' },
      { wait: 5 },
      { fail: { status: 529, message: 'busy' } },
    )
    expect(thrown).toBeNull()
    expect(text).toBe('half')
    expect(parts.find((part) => part.type === 'error')).toMatchObject({ error: { message: 'busy' } })
    expect(finish).toBe(provider === 'anth' ? null : 'error')
  })

  test.each<[string, ScriptTurn]>([
    ['after some words', [{ say: 'half' }, { wait: 5 }, { cut: true }]],
    ['before the first word', [{ cut: true }]],
  ])('[SM22] a cut %s throws with status 200 and can be retried', async (_, script) => {
    const { thrown, finish } = await play(provider, ...script)
    expect(thrown).toMatchObject({ statusCode: 200, isRetryable: true, cause: { message: 'terminated' } })
    expect(finish).toBeNull()
  })

  test('[SM22] a reset before any response has no status', async () => {
    const { thrown } = await play(provider, { refuse: true })
    expect(thrown).toMatchObject({ isRetryable: true, cause: { code: 'ECONNRESET' } })
    expect(thrown?.statusCode).toBeUndefined()
  })

  test('[SM22] a clean end in the middle of a tool call is not a normal finish', async () => {
    const { calls, finish } = await play(provider, { say: 'x' }, { halfCall: 'read' })
    const givesHalf = provider === 'compat' || provider === 'chat'
    expect(calls).toEqual(givesHalf ? ['read {"path": "a'] : [])
    expect(finish).toBe(provider === 'compat' ? 'error' : 'interrupted')
  })

  test('[SM22] passes invalid JSON arguments on unchanged', async () => {
    const { calls, finish } = await play(provider, { badArguments: 'read', text: '{"path": ' })
    expect({ calls, finish }).toEqual({ calls: ['read {"path": '], finish: 'tool-calls' })
  })

  test('[SM22] a page instead of a stream is not a normal finish', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }
    const { finish, types, thrown } = await play(provider, { answer: page })
    expect(thrown).toBeNull()
    expect(finish).toBe({ compat: 'error', chat: 'interrupted', resp: 'interrupted', anth: null }[provider])
    if (provider === 'anth') expect(types).toBe('stream-start')
    const gateway = await play(provider, { answer: { ...page, status: 502 } })
    expect(gateway.thrown).toMatchObject({ statusCode: 502, isRetryable: true })
  })

  test('[SM22] garbage between two words is an error part, and the stream continues', async () => {
    const { text, finish, parts } = await play(provider, { say: 'a' }, { raw: 'data: {oops\n\n' }, { say: 'b' })
    expect(text).toBe('ab')
    expect(parts.filter((part) => part.type === 'error')).toHaveLength(1)
    expect(finish).toBe(provider === 'resp' ? 'error' : 'stop')
  })

  test('[SM22] an open socket delays the finish for all but one', async () => {
    const abort = new AbortController()
    const { stream } = await providerModel(provider, server.url).doStream({
      prompt: scripted({ say: 'all' }, { callTool: 'read' }, { openSocket: true }),
      abortSignal: abort.signal,
    })
    const last = server.requests.at(-1)
    const types: string[] = []
    const reader = stream.getReader()
    const done = () => types.includes('finish') || (provider !== 'anth' && types.includes('tool-input-delta'))
    while (!done()) types.push((await reader.read()).value?.type ?? 'none')
    expect(types.includes('finish')).toBe(provider === 'anth')
    expect(last).toMatchObject({ endedAt: null, clientClosedAt: null })
    abort.abort()
    await expect.poll(() => last?.clientClosedAt).toEqual(expect.any(Number))
  })

  test('[SM8] a stalled response stops when the client disconnects, and the time is recorded', async () => {
    const abort = new AbortController()
    const { stream } = await providerModel(provider, server.url).doStream({
      prompt: scripted({ say: 'one two' }, { wait: 1 }, { drip: { text: 'three', everyMs: 100_000 } }),
      abortSignal: abort.signal,
    })
    const last = server.requests.at(-1)
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== 'text-delta');
    abort.abort()
    await expect.poll(() => last?.clientClosedAt).toEqual(expect.any(Number))
  })
})
