import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation, OperationId, Operations } from '@clawboo/api'
import type { Route } from '@clawboo/api/routes'
import { ClawbooError } from '@clawboo/core'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { z } from 'zod'
import { actAs } from '../access/actor.ts'
import { readJsonBody, refuseBody } from './read-body.ts'

export type HttpContext = Context<{ Bindings: HttpBindings }>

type Parsed<Id extends OperationId, Part extends string> = Operations[Id] extends {
  readonly [K in Part]: infer S extends z.ZodType
}
  ? z.output<S>
  : undefined

/** A request with validated parameters, query and body. */
export interface CheckedRequest<Id extends OperationId> {
  readonly params: Parsed<Id, 'params'>
  readonly query: Parsed<Id, 'query'>
  readonly body: Parsed<Id, 'body'>
  readonly context: HttpContext
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

type Answer<Id extends OperationId> = Operations[Id]['response'] extends z.ZodType
  ? z.input<Operations[Id]['response']>
  : undefined

/** Returns the response value, or a finished Response for anything but plain JSON. */
export type Handler<Id extends OperationId> = (request: CheckedRequest<Id>) => Promise<Answer<Id> | Response>

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

/** Loads the schemas with the first request that needs them: they take as long to load as the rest of the server. */
export async function loadOperations(): Promise<Operations> {
  return (await import('@clawboo/api')).OPERATIONS
}

/** Calls a handler only with parameters, query and body that match the operation's schemas. */
export function handleOperation<Id extends OperationId>(
  id: Id,
  route: Route,
  handler: Handler<Id>,
): (context: HttpContext) => Promise<Response> {
  const isPlain = route.method === 'GET' && !route.path.includes('{') && route.query !== 'required'
  return async (context) => {
    const { incoming, outgoing } = context.env
    if (isPlain && !incoming.url!.includes('?')) {
      refuseBody(incoming)
      const answer = await handler({ query: {}, context, incoming, outgoing } as CheckedRequest<Id>)
      return respond(context, answer, 200)
    }
    const operation: Operation = (await loadOperations())[id]
    const params = operation.params && check(operation.params, context.req.param(), 'path')
    const query = operation.query ? check(operation.query, readQuery(context), 'query') : refuseQuery(context)
    if (!operation.body) refuseBody(incoming)
    const body = operation.body && check(operation.body, await readJsonBody(incoming), 'body')
    const request = { params, query, body, context, incoming, outgoing } as CheckedRequest<Id>
    const answer = await (route.method === 'GET'
      ? handler(request)
      : actAs({ name: 'operator' }, () => handler(request)))
    return respond(context, answer, operation.status === 201 ? 201 : 200)
  }
}

function respond(context: HttpContext, answer: unknown, status: 200 | 201): Response {
  if (answer instanceof Response) return answer
  if (answer === undefined) return context.body(null, 204)
  return context.body(JSON.stringify(answer), status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
}

/** Refuses repeated parameters: no reader should have to guess which value counts. */
function readQuery(context: HttpContext): Record<string, string> {
  const all = context.req.queries()
  return Object.fromEntries(
    Object.entries(all).map(([name, values]) => {
      if (values.length > 1) throw new ClawbooError('request_invalid', `the query parameter "${name}" is repeated`)
      return [name, values[0]!]
    }),
  )
}

function refuseQuery(context: HttpContext): Record<string, never> {
  const [name] = Object.keys(readQuery(context))
  if (name === undefined) return {}
  throw new ClawbooError('request_invalid', `there is no query parameter "${name.slice(0, 100)}" here`, {
    details: { in: 'query' },
  })
}

function check(schema: z.ZodType, value: unknown, place: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const first = issues[0]!
  const code =
    place === 'body'
      ? 'body_invalid'
      : place === 'path' && first.path === 'fileName'
        ? 'file_not_found'
        : 'request_invalid'
  throw new ClawbooError(code, `${first.path || place}: ${first.message}`, { details: { in: place, issues } })
}
