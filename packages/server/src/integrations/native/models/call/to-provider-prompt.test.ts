import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../session/message.ts'
import { assistant, call, PIXEL, READ, request, result, user } from '../test-requests.ts'
import { type PromptTarget, toProviderPrompt } from './to-provider-prompt.ts'

const image = { type: 'image', mimeType: 'image/png', data: PIXEL } as const
const target = (wire: PromptTarget['row']['wire'] = 'anthropic', rest: Partial<PromptTarget> = {}): PromptTarget => ({
  row: { id: 'local', wire, baseUrl: 'https://example.test/v1' },
  model: 'm',
  takesImages: true,
  ...rest,
})
function converted(messages: readonly Message[], to: PromptTarget = target(), rest = {}) {
  const built = toProviderPrompt(request(messages, rest), to)
  if (!built.ok) throw new Error(built.problem)
  return built
}
const problem = (messages: readonly Message[], rest = {}) => {
  const built = toProviderPrompt(request(messages, rest), target())
  return built.ok ? null : built.problem
}
const EVERY_WIRE = ['anthropic', 'openai-responses', 'openai-chat', 'google', 'openai-compatible', 'demo'] as const

test('[NR221] a request that every vendor would refuse is reported as our mistake', () => {
  expect(problem([user('go'), assistant([call('a')])])).toMatch(/call has no result \(a\)/)
  expect(problem([user('go'), assistant([call('a')]), user('more')])).toMatch(/call has no result/)
  expect(problem([user('go'), result('a')])).toMatch(/result has no open call/)
  expect(problem([user('go'), assistant([call('a')]), result('a'), result('a')])).toMatch(/no open call/)
  expect(problem([user('go'), assistant([{ type: 'text', text: 'hi' }])])).toMatch(/last message/)
  expect(problem([])).toMatch(/last message/)
  expect(problem([user('go')], { tools: [READ, READ] })).toMatch(/two tools/)
})

test('[NR226] only tool names that every vendor accepts are declared, and others are replaced in the history', () => {
  for (const name of ['', 'a.b', 'a/b', 'x'.repeat(65), 'ä'])
    expect(problem([user('go')], { tools: [{ ...READ, name }] })).toMatch(/not allowed/)
  const odd = [user('go'), assistant([call('a', 'files/read it!')]), result('a', { toolName: 'files/read it!' })]
  const { prompt } = converted(odd)
  expect(JSON.stringify(prompt)).not.toContain('files/read')
  expect(prompt[1]).toMatchObject({ content: [{ toolName: 'files_read_it_' }] })
  expect(prompt[2]).toMatchObject({ content: [{ toolName: 'files_read_it_' }] })
})

test('[NR222] an image from a tool goes into its result, or into the next message where results are text only', () => {
  const messages = [
    user('look'),
    assistant([call('a'), call('b')]),
    result('a', { content: [{ type: 'text', text: 'here' }, image] }),
    result('b'),
  ]
  for (const wire of ['openai-compatible', 'openai-chat'] as const) {
    const { prompt } = converted(messages, target(wire))
    expect(prompt.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(JSON.stringify(prompt[2])).not.toContain(PIXEL)
    expect(prompt[3]).toMatchObject({ content: [{ type: 'file', mediaType: 'image/png', data: { data: PIXEL } }] })
  }
  for (const wire of ['anthropic', 'openai-responses', 'google'] as const) {
    const { prompt } = converted(messages, target(wire))
    expect(prompt.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
    expect(prompt[2]).toMatchObject({
      content: [{ output: { type: 'content', value: [{ text: 'here' }, { type: 'file' }] } }, {}],
    })
  }
})

test('[NR222] a model without image support gets a text instead of images', () => {
  const messages = [{ ...user('see'), content: [image] }, assistant([call('a')]), result('a', { content: [image] })]
  for (const wire of EVERY_WIRE) {
    const { prompt } = converted(messages, target(wire, { takesImages: false }))
    expect(JSON.stringify(prompt)).not.toContain(PIXEL)
    expect(JSON.stringify(prompt)).toContain('does not accept images')
  }
})

test('[NR223] thinking and signatures go back only to the model that produced them, from completed answers', () => {
  const marks = { anthropic: { signature: 'sig' } }
  const content = [
    { type: 'thinking', thinking: 'hm', providerOptions: marks },
    { type: 'text', text: 'hi', providerOptions: marks },
    { ...call('a'), providerOptions: marks },
  ] as const
  const shown = (rest: Partial<AssistantMessage>, to = target()) =>
    JSON.stringify(converted([user('go'), assistant(content, rest), result('a')], to).prompt)
  expect(shown({})).toContain('"reasoning"')
  expect(shown({})).toContain('sig')
  for (const foreign of [
    { provider: 'other' },
    { model: 'other' },
    { stopReason: 'aborted' },
    { stopReason: 'error' },
  ] as const) {
    expect(shown(foreign)).not.toContain('sig')
    expect(shown(foreign)).not.toContain('"reasoning"')
    expect(shown(foreign)).toContain('"hi"')
  }
  expect(shown({}, target('anthropic', { dropThinking: true }))).not.toContain('sig')
})

test('[NR223] a server with the Chat protocol gets only the thinking since the last prompt', () => {
  const thought = (text: string, id: string) => assistant([{ type: 'thinking', thinking: text }, call(id)])
  const messages = [user('one'), thought('old', 'a'), result('a'), user('two'), thought('new', 'b'), result('b')]
  const chat = JSON.stringify(converted(messages, target('openai-compatible')).prompt)
  expect(chat).toContain('new')
  expect(chat).not.toContain('old')
  expect(JSON.stringify(converted(messages, target('anthropic')).prompt)).toContain('old')
})

test('[NR224] Anthropic gets at most four cache marks: last tool, first system part, last two inputs', () => {
  const marked = (value: unknown) => JSON.stringify(value).split('cacheControl').length - 1
  const system = { text: 'stable volatile', cacheBoundary: 7 }
  const messages = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0 ? user(`${at}`) : assistant([{ type: 'text', text: 'ok' }]),
  )
  const { prompt, tools } = converted([...messages, user('now')], target(), {
    system,
    tools: [READ, { ...READ, name: 'write' }],
  })
  expect(marked(prompt) + marked(tools)).toBe(4)
  expect(tools.map((tool) => tool.providerOptions !== undefined)).toEqual([false, true])
  expect(prompt.slice(0, 2)).toEqual([
    { role: 'system', content: 'stable ', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    { role: 'system', content: 'volatile' },
  ])
  expect(
    prompt
      .slice(2)
      .map((message, at) => (message.providerOptions ? at : -1))
      .filter((at) => at >= 0),
  ).toEqual([18, 20])
  for (const wire of EVERY_WIRE.filter((each) => each !== 'anthropic')) {
    const other = converted([user('now')], target(wire), { system })
    expect(marked(other.prompt) + marked(other.tools)).toBe(0)
    expect(other.prompt[0]).toEqual({ role: 'system', content: 'stable volatile' })
  }
})

test('[NR225] call ids fit the vendor, and a result has the id of its call', () => {
  const messages = [
    user('go'),
    assistant([call('call|x:1')]),
    result('call|x:1'),
    assistant([call('ok_1')]),
    result('ok_1'),
  ]
  const rules = { anthropic: /^[\w-]{1,64}$/, 'openai-responses': /^[\w-]{1,40}$/, google: /^[a-zA-Z0-9]+$/ } as const
  for (const [wire, rule] of Object.entries(rules)) {
    const { prompt } = converted(messages, target(wire as keyof typeof rules))
    const ids = [...JSON.stringify(prompt).matchAll(/"toolCallId":"(.*?)"/g)].map((match) => match[1]!)
    expect(ids.every((id) => rule.test(id))).toBe(true)
    expect([ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2]]).toEqual([true, true, false])
  }
  const mistral = {
    ...target('openai-compatible'),
    row: { id: 'x', wire: 'openai-compatible', baseUrl: 'https://api.mistral.ai/v1' },
  } as const
  expect(JSON.stringify(converted(messages, mistral).prompt)).toMatch(/"toolCallId":"[a-zA-Z0-9]{9}"/)
})

test('[NR225] a server that counts its calls from zero in every answer still gets distinct ids', () => {
  const { prompt } = converted([user('go'), assistant([call('0')]), result('0'), assistant([call('0')]), result('0')])
  const ids = [...JSON.stringify(prompt).matchAll(/"toolCallId":"(.*?)"/g)].map((match) => match[1]!)
  expect([ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2]]).toEqual([true, true, false])
})

test('[NR227] OpenAI is asked not to store answers', () => {
  expect(converted([user('go')], target('openai-responses'), { cacheKey: 's' }).providerOptions).toEqual({
    openai: { store: false, reasoningSummary: null, promptCacheKey: 's' },
  })
})

test('[NR228] a thousand messages are converted without copying their texts and arguments', () => {
  const args = { path: 'x' }
  const messages = Array.from({ length: 333 }, (_, at) => [
    user(`q${at}`),
    assistant([call(`c${at}`, 'read', args)]),
    result(`c${at}`),
  ])
  const { prompt } = converted([...messages.flat(), user('end')])
  expect(prompt).toHaveLength(1000)
  expect((prompt[1]!.content as { input?: unknown }[])[0]!.input).toBe(args)
})

test('[NR229] blank content is filled in: an empty prompt, an empty result, a history that begins with the model', () => {
  const { prompt } = converted([
    assistant([{ type: 'text', text: 'hi' }]),
    user('  '),
    assistant([]),
    { ...user(''), content: [] },
  ])
  expect(prompt.map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'user'])
  expect(prompt[2]).toMatchObject({ content: [{ text: '(continue)' }] })
  const { prompt: empty } = converted([user('go'), assistant([call('a')]), result('a', { content: [] })])
  expect(empty[2]).toMatchObject({ content: [{ output: { value: '(no output)' } }] })
})

/** Histories of sessions: every call has a result, and the last message is from a person or a tool. */
const history = fc
  .array(
    fc.oneof(
      fc.string().map((text): Message[] => [user(text)]),
      fc
        .tuple(
          fc.string(),
          fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.boolean(), fc.boolean()), { maxLength: 3 }),
        )
        .map(([text, calls]): Message[] => {
          const unique = [...new Map(calls.map((each) => [each[0], each])).values()]
          return [
            assistant([
              { type: 'thinking', thinking: text },
              { type: 'text', text },
              ...unique.map(([id]) => call(id, `t ${id}`)),
            ]),
            ...unique.map(([id, isError, hasImage]) =>
              result(id, {
                isError,
                toolName: `t ${id}`,
                content: hasImage ? [{ type: 'text', text }, image] : [{ type: 'text', text }],
              }),
            ),
          ]
        }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => [...parts.flat(), user('now')])

test('[NR220] any session history becomes a prompt that all vendors accept', () => {
  fc.assert(
    fc.property(history, fc.constantFrom(...EVERY_WIRE), (messages, wire) => {
      const { prompt } = converted(messages, target(wire))
      let open: string[] = []
      prompt.forEach((message, at) => {
        expect(message.content.length).toBeGreaterThan(0)
        if (message.role === 'assistant') {
          expect(at).toBeGreaterThan(0)
          open = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
          expect(new Set(open).size).toBe(open.length)
        } else if (message.role === 'tool') {
          expect(message.content.map((part) => (part as { toolCallId: string }).toolCallId).sort()).toEqual(
            [...open].sort(),
          )
          open = []
        } else expect(open).toEqual([])
      })
      expect(['user', 'tool']).toContain(prompt.at(-1)!.role)
    }),
  )
})

test('[NR225] a longer history begins with the same bytes, so that caches stay valid', () => {
  fc.assert(
    fc.property(
      history,
      history,
      fc.constantFrom(...EVERY_WIRE.filter((wire) => wire !== 'anthropic' && wire !== 'openai-compatible')),
      (first, more, wire) => {
        const short = converted(first, target(wire)).prompt
        const long = converted([...first, ...more], target(wire)).prompt
        expect(long.slice(0, short.length)).toEqual(short)
      },
    ),
  )
})
