import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation, Operations } from '@clawboo/api'
import { type OperationId, ROUTES, type Route } from '@clawboo/api/routes'
import { ClawbooError } from '@clawboo/core'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { actAs } from '../access/actor.ts'
import type { Log } from '../log.ts'
import type { Credentials } from './credentials.ts'
import { discardBody } from './discard-body.ts'
import { type ErrorResponse, responseOfError } from './error-response.ts'
import { type McpRoute, mountMcp } from './mcp-route.ts'
import { readJsonBody, refuseBody } from './read-body.ts'
import { createStaticPage } from './static-page.ts'

interface AppOptions {
  readonly handlers: Handlers
  readonly credentials: Credentials
  readonly mcp: McpRoute
  readonly pageFolder: string
  readonly log: Log
}

/** Mounts every operation of the route table, then the page. The request guard runs before all of them. */
export function createApp({
  handlers,
  credentials,
  mcp,
  pageFolder,
  log,
}: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  for (const id of Object.keys(ROUTES) as OperationId[]) {
    const route: Route = ROUTES[id]
    const handle = handleOperation(id, route, handlers[id] as Handler<OperationId>)
    app.on(route.method, route.path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
      if (route.access !== 'open') await credentials.check(context.env.incoming)
      return handle(context)
    })
  }
  mountMcp(app, mcp, log)
  app.all('/api/*', async (context) => {
    await credentials.check(context.env.incoming)
    throw nothingHere(context.req.method, context.req.path)
  })
  const page = createStaticPage(pageFolder)
  app.get('*', page)
  app.notFound((context) => refuse(context, responseOfError(nothingHere(context.req.method, context.req.path))))
  app.onError(async (error, context) => {
    if (!(error instanceof ClawbooError))
      log.error('a request failed', { method: context.req.method, path: context.req.path, error })
    await discardBody(context.env.incoming)
    const refusal = responseOfError(error)
    // Unread bytes remain on the connection, so it cannot carry another request.
    if (!context.env.incoming.complete) refusal.headers.connection = 'close'
    return refuse(context, refusal)
  })
  return app
}

function nothingHere(method: string, path: string): ClawbooError {
  const known = (Object.values(ROUTES) as Route[])
    .filter((route) => patternOf(route.path).test(path))
    .map((route) => route.method)
  if (known.length > 0)
    return new ClawbooError('method_not_allowed', `${path} takes ${known.join(', ')}, not ${method}`)
  return new ClawbooError('route_not_found', `nothing is served at ${method} ${path.slice(0, 200)}`)
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function refuse(context: HttpContext, { status, headers, body }: ErrorResponse): Response {
  return context.body(body, status, headers)
}

export type HttpContext = Context<{ Bindings: HttpBindings }>

type Parsed<Id extends OperationId, Part extends string> = Operations[Id] extends {
  readonly [K in Part]: infer S extends z.ZodType
}
  ? z.output<S>
  : undefined

/** A request with validated parameters, query and body. */
interface CheckedRequest<Id extends OperationId> {
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
type Handler<Id extends OperationId> = (request: CheckedRequest<Id>) => Promise<Answer<Id> | Response>

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

/** Loads the schemas with the first request that needs them: they take as long to load as the rest of the server. */
async function loadOperations(): Promise<Operations> {
  return (await import('@clawboo/api')).OPERATIONS
}

/** Calls a handler only with parameters, query and body that match the operation's schemas. */
function handleOperation<Id extends OperationId>(
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
