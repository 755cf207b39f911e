import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { PAST_THE_SCRIPT, scriptPrompt } from './choose-turn.ts'
import { refusedUrl, type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './http-server.ts'
import type { ScriptTurn } from './script.ts'
import { outcomeOf, PROVIDERS, providerModel, scripted } from './wire/test-providers.ts'

const running: ScriptedModel[] = []
const start = async (options?: ScriptedModelOptions) => {
  const model = await startScriptedModel(options)
  running.push(model)
  return model
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((model) => model.close()))
})

const PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/messages']
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers })
const bodyFor = (path: string, text: string, stream = true) => {
  const messages = [{ role: 'user', content: text }]
  return path === '/v1/responses'
    ? { model: 'm', input: text, stream }
    : { model: 'm', messages, max_tokens: 9, stream }
}

test('[SM1] the same request gets the same bytes, streamed or not', async () => {
  const { url } = await start()
  const text = scriptPrompt([{ think: 'a' }, { say: 'b c' }, { callTool: 'read', with: { path: 'a' } }])
  for (const path of PATHS)
    for (const stream of [true, false]) {
      const answers = await Promise.all(
        [1, 2].map(() => post(url + path, bodyFor(path, text, stream)).then((r) => r.text())),
      )
      expect(answers[0]).toBe(answers[1])
      expect(answers[0]).toContain('call_')
    }
})

test('[SM6] fifty scripts run in parallel, each to its own end', async () => {
  const { url } = await start()
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const steps = [{ say: `number ${at}, ` }, { wait: at % 7 }, { drip: { text: `word ${at}`, everyMs: at % 3 } }]
      const end = at % 5 === 0 ? [{ callTool: 'read', with: { at } }] : at % 5 === 1 ? [{ cut: true as const }] : []
      return outcomeOf(providerModel(PROVIDERS[at % 4]!, url), { prompt: scripted(...steps, ...end) })
    }),
  )
  outcomes.forEach(({ text, calls, finish, thrown }, at) => {
    expect(text).toBe(`number ${at}, word ${at}`)
    expect(calls).toEqual(at % 5 === 0 ? [`read {"at":${at}}`] : [])
    expect(thrown !== null).toBe(at % 5 === 1)
    expect(finish).toBe(at % 5 === 1 ? null : at % 5 === 0 ? 'tool-calls' : 'stop')
  })
})

describe('[SM23] recorded requests', () => {
  test('[SM23] a request is recorded with method, path, headers and body', async () => {
    const model = await start()
    await (await fetch(`${model.url}/v1/models?limit=1`)).text()
    const body = bodyFor('/v1/messages', 'Hello')
    await (await post(`${model.url}/v1/messages`, body, { 'x-run': '7' })).text()
    expect(model.requests).toMatchObject([
      { method: 'GET', path: '/v1/models', body: undefined },
      { method: 'POST', path: '/v1/messages', body, headers: { 'x-run': '7' }, clientClosedAt: null },
    ])
    await expect.poll(() => model.requests[1]?.endedAt).toEqual(expect.any(Number))
  })

  test('[SM23] recorded requests stay within limits, the newest last', async () => {
    const model = await start({ keepRequests: 3 })
    for (let at = 0; at < 5; at++) await (await fetch(`${model.url}/v1/models/${at}`)).text()
    expect(model.requests.map(({ path }) => path)).toEqual(['/v1/models/2', '/v1/models/3', '/v1/models/4'])
  })

  test('[SM23] a connection that the script breaks does not count as closed by the client', async () => {
    const model = await start()
    const text = scriptPrompt([{ say: 'a' }, { cut: true }])
    const path = '/v1/chat/completions'
    await expect(post(model.url + path, bodyFor(path, text)).then((r) => r.text())).rejects.toThrow('terminated')
    await expect.poll(() => model.requests[0]?.endedAt).toEqual(expect.any(Number))
    expect(model.requests[0]?.clientClosedAt).toBeNull()
  })
})

test('[SM24] without the key every protocol responds with its own 401; with the key each works', async () => {
  const { url } = await start({ apiKey: 'secret' })
  for (const provider of PROVIDERS) {
    const prompt = scripted({ say: 'in' })
    const { thrown } = await outcomeOf(providerModel(provider, url, 'm', 'wrong'), { prompt })
    expect(thrown).toMatchObject({ statusCode: 401, isRetryable: false })
    const words = provider === 'anth' ? 'authentication_error' : 'invalid_api_key'
    expect(thrown?.responseBody).toContain(words)
    expect((await outcomeOf(providerModel(provider, url, 'm', 'secret'), { prompt })).text).toBe('in')
  }
  expect((await fetch(`${url}/v1/models`)).status).toBe(401)
})

test('[SM25] each vendor’s model list has its own form', async () => {
  const { url } = await start({ models: ['one', 'two'] })
  const get = async (path: string, headers = {}) => (await fetch(url + path, { headers })).json()
  expect(await get('/v1/models')).toMatchObject({
    object: 'list',
    data: [{ id: 'one', object: 'model' }, { id: 'two' }],
  })
  expect(await get('/v1/models', { 'anthropic-version': '2023-06-01' })).toMatchObject({
    data: [{ id: 'one', type: 'model', display_name: 'one' }, { id: 'two' }],
    has_more: false,
    last_id: 'two',
  })
  expect(await get('/api/tags')).toMatchObject({ models: [{ name: 'one', model: 'one' }, { name: 'two' }] })
  expect(await get('/api/version')).toEqual({ version: expect.any(String) })
})

test('[SM26] the next calls play queued turns, then prompts decide again', async () => {
  const model = await start()
  model.playNext([{ fail: { status: 429 } }], [{ refuse: true }])
  const call = () => outcomeOf(providerModel('anth', model.url), { prompt: scripted({ say: 'at last' }) })
  expect((await call()).thrown).toMatchObject({ statusCode: 429 })
  expect((await call()).thrown).toMatchObject({ cause: { code: 'ECONNRESET' } })
  expect((await call()).text).toBe('at last')
})

test('[SM10] the model id of the request selects the steps', async () => {
  const { url } = await start()
  const prompt = scripted({ fail: { status: 429 }, forModel: 'first' }, { echo: 'model' })
  expect((await outcomeOf(providerModel('resp', url, 'first'), { prompt })).thrown).toMatchObject({ statusCode: 429 })
  expect((await outcomeOf(providerModel('resp', url, 'second'), { prompt })).text).toBe('second')
})

test('[SM27] refuses what the vendor would refuse', async () => {
  const { url } = await start()
  for (const path of PATHS) {
    for (const body of ['', '{"model":', '[]', '{}', '{"model":"m"}', '{"model":"m","messages":[],"max_tokens":1}']) {
      const response = await post(url + path, body)
      expect(response.status, `${path} ${body}`).toBe(400)
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    }
    expect((await fetch(url + path)).status).toBe(404)
  }
  expect((await post(`${url}/v1/nothing`, {})).status).toBe(404)
})

test('[SM22] a connection to the refused address fails', async () => {
  const { thrown } = await outcomeOf(providerModel('compat', await refusedUrl()), { prompt: scripted({ say: 'a' }) })
  expect(thrown).toMatchObject({ isRetryable: true, cause: { code: 'ECONNREFUSED' } })
})

test('[SM22] a response without a stream can have faults too', async () => {
  const { url } = await start()
  const ask = (...script: ScriptTurn) =>
    post(`${url}/v1/messages`, bodyFor('/v1/messages', scriptPrompt(script), false))
  expect(await (await ask({ halfCall: 'read' })).text()).toBe('{"id":')
  await expect(ask({ cut: true }).then((response) => response.text())).rejects.toThrow('terminated')
  await expect(ask({ refuse: true })).rejects.toThrow('fetch failed')
  expect((await ask({ say: 'a' }, { fail: { status: 529 } })).status).toBe(529)
  expect((await ask({ answer: { status: 204 } })).status).toBe(204)
})

test('[SM4] a long conversation over HTTP ends with the closing sentence', async () => {
  const { url } = await start()
  const messages = [{ role: 'user', content: scriptPrompt([[{ say: 'one' }], [{ say: 'two' }]]) }]
  const said: string[] = []
  for (let call = 0; call < 3; call++) {
    const response = await post(`${url}/v1/chat/completions`, { model: 'm', messages })
    const { choices } = (await response.json()) as { choices: { message: { role: string; content: string } }[] }
    said.push(choices[0]!.message.content)
    messages.push(choices[0]!.message, { role: 'user', content: 'go on' })
  }
  expect(said).toEqual(['one', 'two', PAST_THE_SCRIPT])
})

test('[SM28] the program prints its address and exits on SIGTERM', async () => {
  const program = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), '--api-key', 'k'])
  try {
    const [line] = (await once(program.stdout, 'data')) as [Buffer]
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))![0]
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer k' } })).status).toBe(200)
    program.kill('SIGTERM')
    expect(await once(program, 'exit')).toEqual([0, null])
  } finally {
    program.kill('SIGKILL')
  }
})
