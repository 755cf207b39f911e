import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scriptPrompt } from './choose-turn.ts'
import type { ScriptedMessage } from './message.ts'
import { type PlayOptions, playModel, type ScriptedPart } from './play-model.ts'
import type { ScriptTurn } from './script.ts'

async function playMessages(messages: ScriptedMessage[], options: PlayOptions = {}): Promise<ScriptedPart[]> {
  const tools = [{ name: 'read' }, { name: 'write' }]
  return Array.fromAsync(playModel({ messages, tools, model: 'boo' }, { wordDelayMs: 0, ...options }))
}

const play = (script: ScriptTurn | ScriptTurn[], options?: PlayOptions) =>
  playMessages([{ role: 'user', text: scriptPrompt(script) }], options)

const textOf = (parts: readonly ScriptedPart[]) =>
  parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')

test('[SM1] the same script always gives the same parts, and its words add up to its text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const [first, second] = [await play([{ say: text }]), await play([{ say: text }])]
      expect(first).toEqual(second)
      expect(textOf(first)).toBe(text)
    }),
  )
})

test('[SM2] every play has exactly one end, which gives the reason', async () => {
  const ends: [ScriptTurn, Partial<ScriptedPart>][] = [
    [[], { because: 'stop' }],
    [[{ callTool: 'read' }, { say: 'a' }], { because: 'tool-calls' }],
    [[{ say: 'a' }, { end: { reason: 'length' } }], { because: 'length' }],
    [[{ end: { reason: 'content-filter' } }], { because: 'content-filter' }],
    [
      [{ fail: { status: 429, retryAfter: 2, message: 'slow down' } }],
      { because: 'failed', status: 429, retryAfter: 2 },
    ],
    [[{ answer: { status: 502, body: '<html>' } }], { because: 'failed', status: 502 }],
    [[{ say: 'a' }, { cut: true }], { because: 'failed', status: null }],
    [[{ refuse: true }], { because: 'failed', status: null }],
    [[{ halfCall: 'read' }], { because: 'interrupted' }],
    [[{ openSocket: true }], { because: 'stop' }],
  ]
  for (const [script, end] of ends) {
    const parts = await play([...script, { say: ' more' }])
    expect(parts.at(-1)).toMatchObject({ type: 'end', ...end })
    expect(parts.filter((part) => part.type === 'end')).toHaveLength(1)
  }
})

test('[SM7] requests several tools at once, with ids that never repeat in a conversation', async () => {
  const text = scriptPrompt([
    [
      { callTool: 'read', with: { path: 'a' } },
      { callTool: 'read', with: { path: 'a' } },
    ],
    [{ callTool: 'read' }, { badArguments: 'write' }],
    [{ callTool: 'read', id: 'mine' }],
  ])
  const messages: ScriptedMessage[] = [{ role: 'user', text }]
  const ids: string[] = []
  for (let call = 0; call < 3; call++) {
    const calls = (await playMessages(messages)).filter((part) => part.type === 'tool-call')
    ids.push(...calls.map(({ id }) => id))
    messages.push({ role: 'assistant', text: '', toolCalls: calls })
    for (const { id } of calls) messages.push({ role: 'tool', text: '', callId: id })
  }
  expect(ids).toHaveLength(5)
  expect(new Set(ids).size).toBe(5)
  expect(ids).toContain('mine')
  const [written] = (await play([{ callTool: 'read', with: { path: 'a' } }])).filter(
    (part) => part.type === 'tool-call',
  )
  expect(written).toMatchObject({ tool: 'read', input: '{"path":"a"}' })
})

test.each<[string, ScriptTurn]>([
  ['stall', [{ say: 'a' }, { stall: true }]],
  ['wait', [{ say: 'a' }, { wait: 1_000_000 }]],
  ['drip', [{ drip: { text: 'a b', everyMs: 1_000_000 } }]],
])('[SM8] a %s ends when the caller gives up', async (_, script) => {
  const abort = new AbortController()
  const parts: ScriptedPart[] = []
  for await (const part of playModel(
    { messages: [{ role: 'user', text: scriptPrompt(script) }], tools: [] },
    { signal: abort.signal },
  )) {
    parts.push(part)
    abort.abort()
  }
  expect(parts).toEqual([
    { type: 'text-delta', text: 'a' },
    { type: 'end', because: 'aborted' },
  ])
})

test('[SM8] a call that is aborted before it begins yields no text', async () => {
  expect(await play([{ say: 'a' }], { signal: AbortSignal.abort() })).toEqual([{ type: 'end', because: 'aborted' }])
})

test('[SM9] usage is a quarter of the characters unless the script sets it', async () => {
  const text = scriptPrompt([{ think: 'Hm, so.' }, { say: 'Hello there' }])
  expect((await playMessages([{ role: 'user', text }])).at(-1)).toMatchObject({
    usage: { input: Math.ceil(text.length / 4), output: 5, cacheRead: 0, reasoning: 2 },
  })
  expect((await play([{ say: 'a' }, { usage: { input: 9, output: 8, cacheRead: 7 } }])).at(-1)).toMatchObject({
    usage: { input: 9, output: 8, cacheRead: 7 },
  })
})

test('[SM10] skips a step for another model', async () => {
  const fail = { fail: { status: 429 } }
  expect((await play([{ ...fail, forModel: 'boo' }, { say: 'a' }])).at(-1)).toMatchObject({ because: 'failed' })
  expect((await play([{ ...fail, forModel: 'other' }, { say: 'a' }])).at(-1)).toMatchObject({ because: 'stop' })
})

test('[SM11] the model repeats parts of its request', async () => {
  const subjects = ['lastUser', 'system', 'toolResults', 'messageCount', 'toolNames', 'model'] as const
  const shown = subjects.map(async (echo) => {
    const script: ScriptedMessage = { role: 'user', text: scriptPrompt([[], [{ echo }]]) }
    const parts = await playMessages([
      { role: 'system', text: 'Be kind.' },
      script,
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', tool: 'read', input: '{}' }] },
      { role: 'tool', text: 'file text', callId: 'a' },
      { role: 'user', text: 'Well?' },
    ])
    return textOf(parts)
  })
  expect(await Promise.all(shown)).toEqual(['Well?', 'Be kind.', 'file text', '5', 'read write', 'boo'])
})

test('[SM48] a custom persona answers prompts without a script, but never a script', async () => {
  const persona = (messages: readonly ScriptedMessage[]): ScriptTurn => [{ say: `Own: ${messages.at(-1)!.text}` }]
  expect(textOf(await playMessages([{ role: 'user', text: 'Hello' }], { persona }))).toBe('Own: Hello')
  expect(textOf(await play([{ say: 'As written.' }], { persona }))).toBe('As written.')
})

test('[SM46] the persona pauses after each word; a script does not', async () => {
  const abort = new AbortController()
  const slow = { signal: abort.signal, wordDelayMs: 1_000_000 }
  const said: ScriptedPart[] = []
  for await (const part of playModel({ messages: [{ role: 'user', text: 'Hello' }], tools: [] }, slow)) {
    said.push(part)
    abort.abort()
  }
  expect(said).toEqual([
    { type: 'text-delta', text: 'I’m' },
    { type: 'end', because: 'aborted' },
  ])
  expect(textOf(await play([{ say: 'one two three' }], { wordDelayMs: 1_000_000 }))).toBe('one two three')
})

test('[SM47] the in-process entry loads no node: module', () => {
  const seen = new Set<string>()
  const foreign: string[] = []
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)) {
      if (specifier.startsWith('.')) visit(join(file, '..', specifier))
      else foreign.push(`${file}: ${specifier}`)
    }
  }
  visit(join(import.meta.dirname, 'index.ts'))
  expect(seen.size).toBeGreaterThan(8)
  expect(foreign).toEqual([])
})
