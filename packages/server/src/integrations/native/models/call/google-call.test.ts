import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelDone, ModelRequest } from '../model-request.ts'
import { assistant, call, collect, modelRow, PIXEL, request, result, rowFor, user } from '../test-requests.ts'
import { callModel } from './call-model.ts'
import { createModelFactory } from './create-model.ts'

/** A stand-in for Gemini: answers with the events of the test and records the requests. */
let server: Server
let asked: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = []
let answer: { readonly status: number; readonly events: readonly unknown[] } = { status: 200, events: [] }
beforeAll(async () => {
  server = createServer((incoming, response) => {
    let body = ''
    incoming.on('data', (chunk) => {
      body += chunk
    })
    incoming.on('end', () => {
      asked.push({ url: incoming.url!, headers: incoming.headers, body })
      const isEvents = answer.status === 200
      response.writeHead(answer.status, { 'content-type': isEvents ? 'text/event-stream' : 'application/json' })
      response.end(
        answer.events
          .map((event) => (isEvents ? `data: ${JSON.stringify(event)}\n\n` : JSON.stringify(event)))
          .join(''),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

async function play(messages: ModelRequest['messages'], events: readonly unknown[], status = 200) {
  answer = { status, events }
  asked = []
  const row = { ...rowFor('google', `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`), id: 'google' }
  const model = (await createModelFactory(row, { key: 'google-key-1', fetch }))('gemini-3.8-flash')
  const target = { model, row, modelRow: modelRow({ id: 'gemini-3.8-flash' }), key: 'google-key-1' }
  const options = { signal: new AbortController().signal, now: Date.now }
  return (await collect(callModel(target, request(messages), options))).at(-1)!
}
const part = (parts: readonly unknown[], finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14, cachedContentTokenCount: 3 },
})

test('[NR230] Gemini’s answer becomes content, and its signature goes back with the call', async () => {
  const functionCall = { name: 'read', args: { path: 'a' } }
  const end = (await play(
    [user('go')],
    [part([{ text: 'Let me' }]), part([{ functionCall, thoughtSignature: 'sig-1' }], 'STOP')],
  )) as ModelDone
  expect(end).toMatchObject({ type: 'done', stopReason: 'toolUse', usage: { input: 7, cacheRead: 3, output: 4 } })
  expect(end.content).toMatchObject([
    { type: 'text', text: 'Let me' },
    { type: 'toolCall', name: 'read', arguments: { path: 'a' } },
  ])
  const id = end.content.flatMap((each) => (each.type === 'toolCall' ? [each.id] : []))[0]!
  const own = { provider: 'google', model: 'gemini-3.8-flash', stopReason: 'toolUse' } as const
  await play(
    [user('go'), JSON.parse(JSON.stringify(assistant(end.content, own))), result(id)],
    [part([{ text: 'done' }], 'STOP')],
  )
  expect(asked[0]!.body).toContain('sig-1')
  expect(asked[0]!.body).toContain('functionResponse')
})

test('[NR210] Gemini gets the configured key at the configured address', async () => {
  const before = process.env.GOOGLE_GENERATIVE_AI_API_KEY
  process.env.GOOGLE_GENERATIVE_AI_API_KEY = 'leaked-from-env'
  try {
    expect(await play([user('go')], [part([{ text: 'hi' }], 'STOP')])).toMatchObject({ type: 'done' })
  } finally {
    if (before === undefined) delete process.env.GOOGLE_GENERATIVE_AI_API_KEY
    else process.env.GOOGLE_GENERATIVE_AI_API_KEY = before
  }
  expect(asked[0]!.url).toContain('/v1beta/models/gemini-3.8-flash:streamGenerateContent')
  expect(asked[0]!.headers['x-goog-api-key']).toBe('google-key-1')
  expect(JSON.stringify(asked[0])).not.toContain('leaked')
})

test('[NR222] Gemini gets one result per call, in one message, with images as images', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: PIXEL } as const
  const messages = [user('go'), assistant([call('a'), call('b|2')]), result('a', { content: [image] }), result('b|2')]
  await play(messages, [part([{ text: 'hi' }], 'STOP')])
  const { contents } = JSON.parse(asked[0]!.body) as { contents: { role: string; parts: Record<string, unknown>[] }[] }
  expect(contents.at(-1)!.parts.filter((each) => 'functionResponse' in each)).toHaveLength(2)
  expect(asked[0]!.body.split(PIXEL)).toHaveLength(2)
  expect(asked[0]!.body).toContain(`"data":"${PIXEL}"`)
})

test('[NR243] Gemini’s failures have a kind, and an answer without an end is a failure', async () => {
  const error = (status: string, message: string) => [{ error: { code: 1, status, message } }]
  expect(
    await play([user('go')], error('INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'), 400),
  ).toMatchObject({ kind: 'auth' })
  expect(await play([user('go')], error('RESOURCE_EXHAUSTED', 'You exceeded your current quota'), 429)).toMatchObject({
    kind: 'rate_limit',
  })
  expect(
    await play(
      [user('go')],
      error('INVALID_ARGUMENT', 'The input token count (9) exceeds the maximum number of tokens allowed (8)'),
      400,
    ),
  ).toMatchObject({
    kind: 'context_overflow',
  })
  expect(await play([user('go')], [])).toMatchObject({ type: 'failed' })
  expect(await play([user('go')], [part([], 'MALFORMED_FUNCTION_CALL')])).toMatchObject({
    type: 'failed',
    kind: 'network',
    retryable: true,
  })
})
