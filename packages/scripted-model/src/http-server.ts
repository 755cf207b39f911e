import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chooseTurn } from './choose-turn.ts'
import { playTurn } from './play-turn.ts'
import type { ScriptTurn } from './script.ts'
import { anthropicMessages } from './wire/anthropic-messages.ts'
import { chatCompletions } from './wire/chat-completions.ts'
import { openConnection, readBody } from './wire/connection.ts'
import { openaiResponses } from './wire/openai-responses.ts'
import { ANSWER_TIME, type JsonObject, type Protocol } from './wire/protocol.ts'
import { createRequestLog, type RecordedRequest, type RequestLog } from './wire/recorded-requests.ts'
import { writeAnswer, writeError } from './wire/write-answer.ts'

export type { RecordedRequest }

export interface ScriptedModelOptions {
  /** 0 for any free port. */
  readonly port?: number
  /** Required in `authorization` or `x-api-key`; without it every caller is served. */
  readonly apiKey?: string
  /** The ids in the model lists. Every id is accepted. */
  readonly models?: readonly string[]
  /** The pause after each word of the persona. */
  readonly wordDelayMs?: number
  /** The number of requests to keep; the total is also limited to 32 MB. */
  readonly keepRequests?: number
}

export interface ScriptedModel {
  /** The origin; the OpenAI and Anthropic base URL is `${url}/v1`. */
  readonly url: string
  readonly port: number
  /** The newest requests, oldest first; updated while the server runs. */
  readonly requests: readonly RecordedRequest[]
  /** The next model calls play these turns, one each, whatever their prompts contain. For temporary faults. */
  playNext(...turns: ScriptTurn[]): void
  /** Breaks all connections. */
  close(): Promise<void>
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '/v1/chat/completions': chatCompletions,
  '/v1/responses': openaiResponses,
  '/v1/messages': anthropicMessages,
}

/** Serves the scripted model on 127.0.0.1 with the protocols of OpenAI, Anthropic and Ollama. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const log = createRequestLog({ requests: options.keepRequests ?? 200, bytes: 32 * 1024 * 1024 })
  const queued: ScriptTurn[] = []
  const server = createServer((request, response) => {
    readBody(request).then(
      (text) => answer({ request, response, text, options, queued, log }),
      // The client disconnected while sending, or sent too much.
      () => request.destroy(),
    )
  })
  const port = await listen(server, options.port ?? 0)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: log.requests,
    playNext(...turns) {
      queued.push(...turns)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly text: string
  readonly options: ScriptedModelOptions
  readonly queued: ScriptTurn[]
  readonly log: RequestLog
}

async function answer({ request, response, text, options, queued, log }: Exchange): Promise<void> {
  const { method = '', headers } = request
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  const body = parsed(text)
  const connection = openConnection(response, log.add({ method, path, headers, body }, text.length))
  const protocol = PROTOCOLS[path] ?? chatCompletions
  if (path.startsWith('/v1/') && !hasKey(request, options.apiKey))
    return writeError(connection, protocol, { status: 401, message: 'Incorrect API key provided.' })
  const list = method === 'GET' ? modelList(path, headers, options.models ?? ['boo']) : null
  if (list) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
    return
  }
  if (method !== 'POST' || !PROTOCOLS[path])
    return writeError(connection, protocol, { status: 404, message: `Not found: ${method} ${path}` })
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const wireRequest = isObject ? protocol.read(body as JsonObject) : 'The body is not a JSON object.'
  if (typeof wireRequest === 'string') return writeError(connection, protocol, { status: 400, message: wireRequest })
  const next = queued.shift()
  const { by, steps } = next ? { by: 'script', steps: next } : chooseTurn(wireRequest)
  const events = playTurn(steps, wireRequest, by === 'persona' ? (options.wordDelayMs ?? 0) : 0)
  await writeAnswer(connection, protocol, wireRequest, events)
}

function hasKey({ headers }: IncomingMessage, key: string | undefined): boolean {
  return key === undefined || headers.authorization === `Bearer ${key}` || headers['x-api-key'] === key
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** An address where nothing listens: a port that was just released. */
export async function refusedUrl(): Promise<string> {
  const server = createServer()
  const port = await listen(server, 0)
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

const ANSWER_DATE = new Date(ANSWER_TIME * 1000).toISOString()

/** The response to a request for the model list; null for any other path. */
function modelList(path: string, headers: JsonObject, models: readonly string[]): JsonObject | null {
  switch (path) {
    case '/v1/models':
      return headers['anthropic-version'] ? anthropicList(models) : openaiList(models)
    case '/api/tags':
      return { models: models.map(ollamaModel) }
    case '/api/version':
      return { version: '0.0.0-scripted' }
    default:
      return null
  }
}

function openaiList(models: readonly string[]): JsonObject {
  const data = models.map((id) => ({ id, object: 'model', created: ANSWER_TIME, owned_by: 'scripted' }))
  return { object: 'list', data }
}

function anthropicList(models: readonly string[]): JsonObject {
  const data = models.map((id) => ({ type: 'model', id, display_name: id, created_at: ANSWER_DATE }))
  return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null }
}

function ollamaModel(name: string): JsonObject {
  const details = {
    format: 'scripted',
    family: 'scripted',
    families: null,
    parameter_size: '0',
    quantization_level: '',
  }
  return { name, model: name, modified_at: ANSWER_DATE, size: 0, digest: '', details }
}
