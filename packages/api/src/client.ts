import type { z } from 'zod'
import type { Operations } from './operations.ts'
import { type OperationId, ROUTES } from './routes.ts'
import type { ErrorBody } from './schemas/error.ts'

type SchemaOf<Id extends OperationId, Part extends string> = Operations[Id] extends { readonly [K in Part]: infer S }
  ? S
  : never
type InputOf<S> = S extends z.ZodType ? z.input<S> : never
type Field<Name extends string, S> = [S] extends [never] ? unknown : { readonly [K in Name]: InputOf<S> }
type QueryField<S> = [S] extends [never] ? unknown : { readonly query?: InputOf<S> }

/** The input of one operation. */
export type OperationInput<Id extends OperationId> = Field<'params', SchemaOf<Id, 'params'>> &
  QueryField<SchemaOf<Id, 'query'>> &
  Field<'body', SchemaOf<Id, 'body'>> & { readonly signal?: AbortSignal }

/** The response of an operation; `undefined` when there is no body. */
export type OperationOutput<Id extends OperationId> = Operations[Id]['response'] extends z.ZodType
  ? z.output<Operations[Id]['response']>
  : undefined

export type Client = { readonly [Id in OperationId]: (input: OperationInput<Id>) => Promise<OperationOutput<Id>> }

/** A response that is not a success. `code` is stable; `network` means that no response arrived. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorBody['error']['code'] | 'network' | 'unreadable'
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: ApiError['code'],
    message: string,
    details: Record<string, unknown> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Creates one function per operation. `send` is `fetch`, or a function that behaves like it. */
export function createClient(options: {
  readonly baseUrl: string
  readonly token?: string
  readonly send?: typeof fetch
}): Client {
  const send = options.send ?? ((input, init) => fetch(input, init))
  const call = (operationId: OperationId) => async (input: LooseInput) => {
    const { method, path } = ROUTES[operationId]
    const headers: Record<string, string> = { accept: 'application/json' }
    if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`
    if (input.body !== undefined) headers['content-type'] = 'application/json'
    const body = input.body === undefined ? undefined : JSON.stringify(input.body)
    const url = options.baseUrl + fillPath(path, input.params) + queryText(input.query)
    let response: Response
    try {
      response = await send(url, { method, headers, body, signal: input.signal })
    } catch (cause) {
      if (input.signal?.aborted) throw cause
      throw new ApiError(0, 'network', 'the server did not respond', {}, cause)
    }
    return readAnswer(response)
  }
  return Object.fromEntries(Object.keys(ROUTES).map((id) => [id, call(id as OperationId)])) as unknown as Client
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`the path parameter "${name}" is missing`)
    return encodeURIComponent(value)
  })
}

function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, String(value)]))}`
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const text = await response.text()
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new ApiError(response.status, 'unreadable', `the response (status ${response.status}) is not JSON`, {}, cause)
  }
  if (response.ok) return parsed
  const error = (parsed as Partial<ErrorBody>).error
  if (!error) throw new ApiError(response.status, 'unreadable', `status ${response.status} without an error body`)
  throw new ApiError(response.status, error.code, error.message, error.details)
}
