import { type OperationId, ROUTES, type Route } from '@clawboo/api/routes'
import { ClawbooError } from '@clawboo/core'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Log } from '../log.ts'
import type { Credentials } from './credentials.ts'
import { discardBody } from './discard-body.ts'
import { type ErrorResponse, responseOfError } from './error-response.ts'
import { type McpRoute, mountMcp } from './mcp-route.ts'
import { type Handler, type Handlers, type HttpContext, handleOperation } from './operation-handler.ts'
import { createStaticPage } from './static-page.ts'

export interface AppOptions {
  readonly handlers: Handlers
  readonly credentials: Credentials
  readonly mcp: McpRoute
  readonly pageFolder: string
  readonly log: Log
}

/** Every operation of the route table, then the page. The request guard runs before all of it. */
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
  app.notFound((context) => respond(context, responseOfError(nothingHere(context.req.method, context.req.path))))
  app.onError(async (error, context) => {
    if (!(error instanceof ClawbooError))
      log.error('a request failed', { method: context.req.method, path: context.req.path, error })
    await discardBody(context.env.incoming)
    const refusal = responseOfError(error)
    // Unread bytes remain on the connection, so it cannot carry another request.
    if (!context.env.incoming.complete) refusal.headers.connection = 'close'
    return respond(context, refusal)
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

function respond(context: HttpContext, { status, headers, body }: ErrorResponse): Response {
  return context.body(body, status, headers)
}
