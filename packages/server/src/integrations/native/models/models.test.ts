import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refusedUrl, type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Candidate } from './failover/failover.ts'
import type { ChainEvent, ChainFailed } from './failover/run-chain.ts'
import type { ModelFailed, ModelRequest } from './model-request.ts'
import { type CandidateList, createModels, type Models, type ModelsDeps } from './models.ts'
import { checkKey } from './providers/check-key.ts'
import { discoverLocal } from './providers/discover-local.ts'
import { providerRows } from './providers/provider-list.ts'
import type { ModelsSettings } from './providers/provider-reader.ts'
import { assistant, collect, request, script, user } from './test-requests.ts'

let good: ScriptedModel
let bad: ScriptedModel
let nowhere: string
beforeAll(async () => {
  nowhere = await refusedUrl()
})
beforeEach(async () => {
  good = await startScriptedModel({ apiKey: 'good-key-123', models: ['m1', 'm2'] })
  bad = await startScriptedModel({ models: ['m1', 'm2'] })
})
afterEach(() => Promise.all([good.close(), bad.close()]))
const servers: Server[] = []
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))))

/** A server that answers each path with a status and a JSON body. */
async function answering(answers: Record<string, readonly [number, unknown]>): Promise<string> {
  const server = createServer((incoming, response) => {
    const [status, body] = answers[incoming.url!.split('?')[0]!] ?? [404, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Setup {
  readonly settings?: Partial<ModelsSettings>
  readonly secrets?: Record<string, string>
  readonly deps?: Partial<ModelsDeps>
}
function setUp({ settings = {}, secrets = {}, deps = {} }: Setup = {}) {
  const clock = { now: 1_000_000 }
  const vault: Record<string, string> = {
    ANTHROPIC_API_KEY: 'good-key-123',
    OPENAI_API_KEY: 'good-key-123',
    ...secrets,
  }
  const cooldownChanges = { count: 0 }
  const models = createModels({
    readSecret: async (name) => vault[name] ?? null,
    now: () => clock.now,
    demoWordDelayMs: 0,
    cooldownsChanged: () => void cooldownChanges.count++,
    settings: () => ({
      providers: {
        anthropic: { baseUrl: `${good.url}/v1` },
        openai: { baseUrl: `${bad.url}/v1`, api: 'chat' },
        ollama: { baseUrl: `${nowhere}/v1` },
      },
      aliases: {},
      defaultModel: 'openai/m1',
      fallbacks: ['openai/m2', 'anthropic/m1'],
      ...settings,
    }),
    ...deps,
  })
  return { models, clock, vault, cooldownChanges }
}
const signal = () => new AbortController().signal
async function run(
  models: Models,
  wanted: Partial<Parameters<Models['candidates']>[0]> = {},
  messages = [user('hi')],
  probed?: Set<string>,
) {
  const list = (await models.candidates({ ref: null, chosenBy: 'default', ...wanted })) as CandidateList
  const options = { signal: signal(), ...(probed === undefined ? {} : { probed }) }
  const events = await collect<ChainEvent>(models.run(list, request(messages), options))
  const attempts = events.flatMap((event) =>
    event.type === 'attempt' ? [`${event.candidate.provider}/${event.candidate.model}`] : [],
  )
  return { events, attempts, end: events.at(-1) as ChainFailed }
}

/** The events of a call to one model, without fallbacks. */
const callOnly = async (models: Models, candidate: Candidate, modelRequest: ModelRequest) => {
  const list = { ok: true, chain: [candidate], isStrict: true, warnings: [] } as const
  const events = await collect<ChainEvent>(models.run(list, modelRequest, { signal: signal() }))
  return events.filter((event) => event.type !== 'attempt')
}

test('[NR213] the demo model answers without a key and without the network', async () => {
  const fetch = () => Promise.reject(new TypeError('no network here'))
  const { models } = setUp({
    settings: { providers: {}, defaultModel: null },
    secrets: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' },
    deps: { fetch },
  })
  expect(await models.resolve(null)).toMatchObject({ ok: true, ref: 'demo/boo' })
  const events = await callOnly(models, { provider: 'demo', model: 'boo' }, request([user('hi')], { tools: [] }))
  expect(events.at(-1)).toMatchObject({ type: 'done', usage: { costUsd: 0 } })
  expect(events.map((event) => (event.type === 'text' ? event.delta : '')).join('')).toMatch(/script/i)
})

test('[NR259] the list shows for each provider whether it is usable, and why not', async () => {
  const { models, vault } = setUp({ settings: { providers: { own: { baseUrl: 'nonsense' } } } })
  const states = Object.fromEntries((await models.list()).map((state) => [state.row.id, state]))
  expect(states.anthropic).toMatchObject({ key: 'present', isUsable: true, problem: null })
  expect(states.google).toMatchObject({ key: 'missing', isUsable: false })
  expect(states.google!.problem).toMatch(/no key/)
  expect(states.own).toMatchObject({ isUsable: false })
  expect(states.demo).toMatchObject({ key: 'not_needed', isUsable: true, row: { isAi: false } })
  expect(JSON.stringify(Object.values(states))).not.toContain(vault.ANTHROPIC_API_KEY)
})

test('[NR259] an unreadable key is distinguished from a missing one', async () => {
  const { models } = setUp({ deps: { readSecret: () => Promise.reject(new Error('sealed by another key')) } })
  const states = await models.list()
  expect(states.find((state) => state.row.id === 'anthropic')).toMatchObject({ key: 'unreadable', isUsable: false })
  const events = await callOnly(models, { provider: 'anthropic', model: 'x' }, request([user('hi')]))
  expect(events).toMatchObject([{ type: 'failed', kind: 'auth' }])
})

test('[NR209] a provider without a key is refused with a reason, before any call', async () => {
  const { models } = setUp()
  const refused = await models.resolve('google/gemini-2.5-pro')
  expect(refused.ok || refused.message).toMatch(/Google Gemini has no key yet/)
  const events = await callOnly(models, { provider: 'google', model: 'gemini-2.5-pro' }, request([user('hi')]))
  expect(events).toMatchObject([{ type: 'failed', kind: 'auth', retryable: false }])
  expect(models.cooldowns()).toEqual([])
})

test('[NR256] after a refused key, a missing model or a broken server the next model is tried', async () => {
  for (const status of [401, 404, 500]) {
    const { models } = setUp()
    bad.playNext(...Array.from({ length: status === 401 ? 1 : 2 }, () => [{ fail: { status } }]))
    const { attempts, end } = await run(models)
    expect(end).toMatchObject({ type: 'done', candidate: { provider: 'anthropic', model: 'm1' } })
    expect(attempts).toEqual(
      status === 401 ? ['openai/m1', 'anthropic/m1'] : ['openai/m1', 'openai/m2', 'anthropic/m1'],
    )
  }
})

test('[NR251] after a rate limit on one model another model of the same key is tried', async () => {
  const { models } = setUp()
  bad.playNext([{ fail: { status: 429 } }])
  const { events, attempts, end } = await run(models)
  expect(attempts).toEqual(['openai/m1', 'openai/m2'])
  expect(end).toMatchObject({ type: 'done' })
  expect(events.find((event) => event.type === 'switched')).toMatchObject({
    from: { model: 'm1' },
    to: { model: 'm2' },
    failure: { kind: 'rate_limit' },
  })
  expect(models.cooldowns()).toMatchObject([{ provider: 'openai', model: 'm1', kind: 'rate_limit' }])
})

test('[NR254] a model is skipped until its cooldown ends', async () => {
  const { models, clock } = setUp()
  bad.playNext([{ fail: { status: 429 } }])
  await run(models)
  expect((await run(models)).attempts).toEqual(['openai/m2'])
  clock.now += 30_000
  expect((await run(models)).attempts).toEqual(['openai/m1'])
})

test('[NR247] a person’s choice fails visibly, and no other model is called', async () => {
  const { models } = setUp()
  bad.playNext([{ fail: { status: 401, message: 'no' } }])
  const { attempts, end } = await run(models, { ref: 'openai/m1', chosenBy: 'person' })
  expect(attempts).toEqual(['openai/m1'])
  expect(end).toMatchObject({ type: 'failed', kind: 'auth', candidate: { provider: 'openai', model: 'm1' } })
  expect((await run(models, { ref: 'openai/m1', chosenBy: 'person' })).end).toMatchObject({ type: 'done' })
})

test('[NR252] a 400 caused by our own history starts no cooldown, and no other model is called', async () => {
  const { models } = setUp()
  bad.playNext([{ fail: { status: 400, message: 'messages.3: tool_use ids were found without tool_result blocks' } }])
  const { attempts, end } = await run(models)
  expect(attempts).toEqual(['openai/m1'])
  expect(end).toMatchObject({ type: 'failed', kind: 'format' })
  expect(models.cooldowns()).toEqual([])
})

test('[NR249] a transient failure is retried with the same model if there is no other', async () => {
  const { models } = setUp({ settings: { fallbacks: [] } })
  bad.playNext([{ fail: { status: 529, retryAfter: 0 } }], [{ fail: { status: 429, retryAfter: 0 } }])
  const { events, attempts, end } = await run(models)
  expect(attempts).toEqual(['openai/m1', 'openai/m1', 'openai/m1'])
  expect(events.filter((event) => event.type === 'retrying')).toMatchObject([{ delayMs: 0 }, { delayMs: 0 }])
  expect(end).toMatchObject({ type: 'done' })
  expect(models.cooldowns()).toEqual([])
})

test('[NR249] nothing is retried once part of the answer was shown', async () => {
  const { models } = setUp()
  bad.playNext([{ say: 'Dear' }, { cut: true }])
  const { attempts, end } = await run(models)
  expect(attempts).toEqual(['openai/m1'])
  expect(end).toMatchObject({ type: 'failed', kind: 'network', content: [{ text: 'Dear' }] })
})

test('[NR232] an abort while waiting for a retry ends the call at once as aborted', async () => {
  const { models } = setUp({ settings: { fallbacks: [] } })
  bad.playNext([{ fail: { status: 529, retryAfter: 60 } }])
  const list = (await models.candidates({ ref: null, chosenBy: 'default' })) as CandidateList
  const controller = new AbortController()
  const events: ChainEvent[] = []
  for await (const event of models.run(list, request([user('hi')]), { signal: controller.signal })) {
    events.push(event)
    if (event.type === 'retrying') setImmediate(() => controller.abort())
  }
  expect(events.at(-1)).toMatchObject({ type: 'failed', kind: 'aborted', aborted: true })
  expect(bad.requests.filter((each) => each.method === 'POST')).toHaveLength(1)
})

test('[NR255] when no model answers, one error lists every attempt and the time to wait', async () => {
  const { models, clock } = setUp({ secrets: { ANTHROPIC_API_KEY: 'wrong-key-999' } })
  bad.playNext([{ fail: { status: 429 } }], [{ fail: { status: 529 } }])
  const { end } = await run(models)
  expect(end).toMatchObject({ type: 'failed', retryable: false, soonestExpiry: clock.now + 30_000 })
  expect(end.attempts.map(({ candidate, failure }) => [candidate.model, failure.kind])).toEqual([
    ['m1', 'rate_limit'],
    ['m2', 'overloaded'],
    ['m1', 'auth'],
  ])
  for (const ref of ['openai/m1', 'openai/m2', 'anthropic/m1']) expect(end.message).toContain(ref)
  expect(end.message).toContain('30 s')
  expect(end.message).not.toContain('wrong-key-999')
})

test('[NR254] when every model is cooling down, a run probes once and then fails without a call', async () => {
  const { models, clock } = setUp({ settings: { fallbacks: [] } })
  bad.playNext(...Array.from({ length: 4 }, () => [{ fail: { status: 529, retryAfter: 0 } }]))
  expect((await run(models)).attempts).toHaveLength(4)
  clock.now += 1000
  const probed = new Set<string>()
  bad.playNext([{ fail: { status: 529, retryAfter: 0 } }])
  const later = clock.now + 5 * 60_000 - 1000 - 90_000
  clock.now = later
  expect((await run(models, {}, [user('hi')], probed)).attempts).toEqual(['openai/m1'])
  const before = bad.requests.length
  const { attempts, end } = await run(models, {}, [user('hi')], probed)
  expect(attempts).toEqual([])
  expect(end).toMatchObject({ type: 'failed', kind: 'overloaded', candidate: null })
  expect(bad.requests).toHaveLength(before)
})

test('[NR253] a new key of the same provider has no cooldown', async () => {
  const { models, vault } = setUp({
    settings: { fallbacks: [], defaultModel: 'anthropic/m1' },
    secrets: { ANTHROPIC_API_KEY: 'wrong-key-999' },
  })
  expect((await run(models)).end).toMatchObject({ kind: 'auth' })
  expect((await run(models)).attempts).toEqual([])
  vault.ANTHROPIC_API_KEY = 'good-key-123'
  expect((await run(models)).end).toMatchObject({ type: 'done' })
})

test('[NR205] a fallback that cannot be used is skipped with a warning', async () => {
  const { models } = setUp({ settings: { fallbacks: ['anthropic/m1', 'google/x'] } })
  const list = await models.candidates({ ref: 'openai/m1', chosenBy: 'default' })
  expect(list).toMatchObject({ ok: true, chain: [{ provider: 'openai' }, { provider: 'anthropic' }] })
  expect(list.ok && list.warnings[0]).toMatch(/google\/x.*no key/)
})

test('[NR209] a trailing line break of a key is removed', async () => {
  const { models } = setUp({ secrets: { ANTHROPIC_API_KEY: 'good-key-123\n' } })
  const events = await callOnly(models, { provider: 'anthropic', model: 'm1' }, request([user('hi')]))
  expect(events.at(-1)).toMatchObject({ type: 'done' })
})

test('[NR242] a model that refuses its own thinking is called again without it, now and later', async () => {
  const { models } = setUp()
  const thought = {
    type: 'thinking',
    thinking: 'secret thought',
    providerOptions: { anthropic: { signature: 'old' } },
  } as const
  const history = [
    user('one'),
    assistant([thought, { type: 'text', text: 'ok' }], { provider: 'anthropic', model: 'm1' }),
    script([{ say: 'fine' }]),
  ]
  const ask = () => callOnly(models, { provider: 'anthropic', model: 'm1' }, request(history, { cacheKey: 's1' }))
  good.playNext([{ fail: { status: 400, message: 'messages.1.content.0: Invalid `signature` in `thinking` block' } }])
  expect((await ask()).at(-1)).toMatchObject({ type: 'done' })
  expect(good.requests.map((each) => JSON.stringify(each.body).includes('secret thought'))).toEqual([true, false])
  await ask()
  expect(good.requests).toHaveLength(3)
  expect(JSON.stringify(good.requests.at(-1)!.body)).not.toContain('secret thought')
  expect(models.cooldowns()).toEqual([])
})

test('[NR238] usage is estimated by length if a server reports none, and a reported cost is used unchanged', async () => {
  const chunks = (usage: unknown) =>
    [
      { choices: [{ index: 0, delta: { content: 'twelve chars' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
    ]
      .map((chunk) => `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', ...chunk })}\n\n`)
      .join('')
  const counting = async (usage: unknown, provider: string) => {
    const body = `${chunks(usage)}data: [DONE]\n\n`
    const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const { models } = setUp({
      settings: { providers: { own: { baseUrl: 'http://10.0.0.1/v1' } } },
      secrets: { OPENROUTER_API_KEY: 'k' },
      deps: { fetch },
    })
    return (await callOnly(models, { provider, model: 'm' }, request([user('x'.repeat(40))], { tools: [] }))).at(-1)
  }
  expect(await counting(undefined, 'own')).toMatchObject({
    usage: { input: 10, output: 3, totalTokens: 13, costUsd: null },
  })
  const usage = { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11, cost: 0.0042 }
  expect(await counting(usage, 'openrouter')).toMatchObject({ usage: { input: 5, output: 6, costUsd: 0.0042 } })
})

const row = (id: string, baseUrl: string) => ({
  ...providerRows({ own: { baseUrl } }).find((each) => each.id === id)!,
  baseUrl,
})
const check = (id: string, baseUrl: string, key: string) => checkKey(row(id, baseUrl), key, { fetch, now: Date.now })

test('[NR257] a key is tested with a real request that only a valid key passes', async () => {
  for (const id of ['anthropic', 'openai', 'own']) {
    expect([id, await check(id, `${good.url}/v1`, 'good-key-123')]).toEqual([id, { state: 'ok' }])
    expect(await check(id, `${good.url}/v1`, 'wrong-key-999')).toMatchObject({ state: 'refused' })
    expect(await check(id, `${nowhere}/v1`, 'good-key-123')).toMatchObject({ state: 'unreachable' })
  }
  expect(await check('openai', `${good.url}/v1`, 'two\nlines')).toMatchObject({ state: 'refused' })
})

test('[NR257] where the list of models is public, the key is tested with a model call', async () => {
  const list = { '/models': [200, { data: [{ id: 'm' }] }] } as const
  expect(
    await check(
      'own',
      await answering({ ...list, '/chat/completions': [401, { error: { message: 'no such key-abcdef' } }] }),
      'key-abcdef',
    ),
  ).toEqual({
    state: 'refused',
    why: 'no such [key]',
  })
  expect(await check('own', await answering({ ...list, '/chat/completions': [200, {}] }), 'key-abcdef')).toEqual({
    state: 'ok',
  })
  expect(
    await check(
      'openrouter',
      await answering({ '/models': [200, {}], '/key': [401, { error: { message: 'no' } }] }),
      'k-12345',
    ),
  ).toMatchObject({ state: 'refused' })
})

test('[NR257] Google’s 400 for a bad key is a refusal, a restricted key is valid, and a provider’s failure is not blamed on the key', async () => {
  const invalid = { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }
  expect(await check('google', await answering({ '/models': [400, invalid] }), 'AIza-wrong')).toMatchObject({
    state: 'refused',
  })
  expect(await check('google', await answering({ '/models': [200, { models: [] }] }), 'AIza-right')).toEqual({
    state: 'ok',
  })
  const narrow = { error: { message: 'You have insufficient permissions. Missing scopes: api.model.read' } }
  expect(await check('openai', await answering({ '/models': [403, narrow] }), 'sk-narrow')).toEqual({ state: 'ok' })
  expect(await check('openai', await answering({ '/models': [503, {}] }), 'sk-12345')).toMatchObject({
    state: 'unreachable',
  })
})

test('[NR257] a valid key ends the cooldown of its provider', async () => {
  const { models, cooldownChanges } = setUp({
    secrets: { ANTHROPIC_API_KEY: 'good-key-123' },
    settings: { defaultModel: 'anthropic/m1', fallbacks: [] },
  })
  good.playNext([{ fail: { status: 402, message: 'Payment required' } }])
  expect((await run(models)).end).toMatchObject({ kind: 'billing' })
  expect(models.cooldowns()).toHaveLength(1)
  expect(cooldownChanges.count).toBe(1)
  expect(await models.checkKey('anthropic', 'good-key-123')).toEqual({ state: 'ok' })
  expect(models.cooldowns()).toEqual([])
  expect(cooldownChanges.count).toBe(2)
  await models.checkKey('anthropic', 'good-key-123')
  expect(cooldownChanges.count).toBe(2)
})

test('[NR258] a local server is discovered with its models, and nothing where there is none', async () => {
  expect(await discoverLocal(`${bad.url}/v1`, { fetch })).toMatchObject({
    found: true,
    kind: 'ollama',
    models: ['m1', 'm2'],
  })
  const plain = await answering({ '/v1/models': [200, { data: [{ id: 'qwen' }, { id: 7 }] }] })
  expect(await discoverLocal(`${plain}/v1`, { fetch })).toEqual({
    found: true,
    kind: 'openai-compatible',
    models: ['qwen'],
  })
  expect(await discoverLocal(`${await answering({ '/v1/models': [200, []] })}/v1`, { fetch })).toEqual({ found: false })
  expect(await discoverLocal(`${nowhere}/v1`, { fetch })).toEqual({ found: false })
  expect(await discoverLocal('nonsense', { fetch })).toEqual({ found: false })
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init!.signal!.addEventListener('abort', () => reject(new Error('late'))))
  expect(await discoverLocal('http://127.0.0.1:1/v1', { fetch: silent, timeoutMs: 20 })).toEqual({ found: false })
})

test('[NR258] a discovered model can be called by name and costs nothing', async () => {
  const { models } = setUp({ settings: { providers: { ollama: { baseUrl: `${bad.url}/v1` } }, defaultModel: null } })
  expect(await models.resolve('m2')).toMatchObject({ ok: true, ref: 'ollama/m2' })
  const events = await callOnly(models, { provider: 'ollama', model: 'm2' }, request([user('hi')]))
  expect(events.at(-1)).toMatchObject({ type: 'done', usage: { costUsd: 0 } })
  expect(bad.requests.at(-1)!.headers.authorization).toBeUndefined()
})

test('[NR209] a call to a missing or unusable provider returns a failure', async () => {
  const { models } = setUp({ settings: { providers: { own: { baseUrl: 'nonsense' } } } })
  for (const provider of ['ghost', 'own'])
    expect(
      (await callOnly(models, { provider, model: 'x' }, request([user('hi')]))).at(-1) as ModelFailed,
    ).toMatchObject({
      type: 'failed',
      retryable: false,
    })
})
