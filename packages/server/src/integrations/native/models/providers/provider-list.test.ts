import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FREE } from './known-models.ts'
import { costUsd } from './model-price.ts'
import { providerRows } from './provider-list.ts'

const row = (id: string, settings: Parameters<typeof providerRows>[0] = {}) =>
  providerRows(settings).find((each) => each.id === id)!

test('[NR207] the demo needs no key, comes last and is labelled as not an AI', () => {
  const rows = providerRows({})
  expect(rows.map((each) => each.id)).toEqual(['anthropic', 'openai', 'google', 'openrouter', 'ollama', 'demo'])
  expect(row('demo')).toMatchObject({
    needsKey: false,
    isAi: false,
    closed: true,
    models: [{ id: 'boo', prices: FREE }],
  })
  expect(row('demo').label).toContain('scripted, not an AI')
})

test('[NR207] OpenAI uses the Responses protocol, or Chat if configured', () => {
  expect(row('openai').wire).toBe('openai-responses')
  expect(row('openai', { openai: { api: 'chat' } }).wire).toBe('openai-chat')
  expect(row('ollama')).toMatchObject({ wire: 'openai-compatible', needsKey: false, secretName: null, isLocal: true })
})

test('[NR207] a custom provider needs a base URL and can have a key, models and prices', () => {
  const settings = {
    'my-vllm': { baseUrl: 'http://10.0.0.5:8000/v1', hasKey: true, models: [{ id: 'qwen', contextWindow: 32_000 }] },
    lm: { baseUrl: 'http://127.0.0.1:1234/v1', hasKey: false, models: [{ id: 'm' }], idleSeconds: 10 },
    anthropic: { models: [{ id: 'claude-opus-5', contextWindow: 100 }] },
  }
  expect(row('my-vllm', settings)).toMatchObject({
    wire: 'openai-compatible',
    secretName: 'PROVIDER_MY_VLLM_API_KEY',
    needsKey: true,
    problem: null,
    models: [{ id: 'qwen', contextWindow: 32_000, prices: null }],
  })
  expect(row('lm', settings)).toMatchObject({
    secretName: null,
    isLocal: true,
    idleMs: 10_000,
    models: [{ id: 'm', prices: FREE }],
  })
  expect(row('anthropic', settings).models[0]).toMatchObject({
    id: 'claude-opus-5',
    contextWindow: 100,
    prices: { input: 5 },
  })
  expect(row('anthropic', settings).models.filter((model) => model.id === 'claude-opus-5')).toHaveLength(1)
})

test('[NR233] a model can be silent for 120 s, a local one for 300 s, or as long as configured', () => {
  expect(row('anthropic').idleMs).toBe(120_000)
  expect(row('ollama').idleMs).toBe(300_000)
  expect(row('anthropic', { anthropic: { idleSeconds: 600 } }).idleMs).toBe(600_000)
})

test('[NR209] a misconfigured provider shows the problem', () => {
  for (const baseUrl of ['', 'nonsense', 'ftp://x/v1', 'http://me:pw@x/v1', 'http://x/v1?key=1'])
    expect(row('own', { own: { baseUrl } }).problem).toMatch(/base URL/)
  expect(row('Big Name', { 'Big Name': { baseUrl: 'http://x/v1' } }).problem).toMatch(/name/)
  expect(row('openai', { openai: { baseUrl: 'nonsense' } }).problem).toMatch(/base URL/)
})

test('[NR208] a call costs its tokens by kind, the long price above the limit, and null without a price', () => {
  const sonnet = row('anthropic').models.find((model) => model.id === 'claude-sonnet-5-5')!.prices
  const million = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6 }
  expect(costUsd(million, sonnet)).toBeCloseTo(2 + 10 + 0.2 + 2.5, 10)
  expect(costUsd(million, null)).toBeNull()
  expect(costUsd(million, FREE)).toBe(0)
  const pro = row('google').models.find((model) => model.id === 'gemini-2.5-pro')!.prices
  const read = (input: number) => ({ input, output: 1000, cacheRead: 0, cacheWrite: 0 })
  expect(costUsd(read(200_000), pro)).toBeCloseTo(0.25 + 0.01, 10)
  expect(costUsd(read(200_001), pro)).toBeCloseTo(0.5000025 + 0.015, 10)
})

test('[NR208] an unknown cache price counts as the highest one', () => {
  const prices = { input: 3, output: 0, cacheRead: null, cacheWrite: null }
  expect(costUsd({ input: 0, output: 0, cacheRead: 1e6, cacheWrite: 1e6 }, prices)).toBe(9)
})

test('[NR208] more tokens never cost less', () => {
  const count = fc.nat(2_000_000)
  const prices = fc.constantFrom(
    ...providerRows({}).flatMap((each) => each.models.flatMap((model) => model.prices ?? [])),
  )
  fc.assert(
    fc.property(
      fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
      prices,
      count,
      (tokens, price, more) => {
        const cost = costUsd(tokens, price)!
        expect(cost).toBeGreaterThanOrEqual(0)
        expect(costUsd({ ...tokens, output: tokens.output + more }, price)!).toBeGreaterThanOrEqual(cost)
      },
    ),
  )
})
