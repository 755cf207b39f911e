import type { ServerResponse } from 'node:http'
import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Hono } from 'hono'
import type { Log } from '../log.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import { discardBody } from './discard-body.ts'
import { responseOfError } from './error-response.ts'
import type { IdentifyCaller } from './mcp-callers.ts'
import { readJsonBody } from './read-body.ts'

type HttpContext = Context<{ Bindings: HttpBindings }>

export interface McpRoute {
  readonly servers: McpServers
  readonly identify: IdentifyCaller
}

/** Mounts `/api/mcp/<server>` for every server, and 404 where clients look for a login after a 401. */
export function mountMcp(app: Hono<{ Bindings: HttpBindings }>, { servers, identify }: McpRoute, log: Log): void {
  app.all('/api/mcp/:server', async (context) => {
    try {
      return await serve(context, servers, identify)
    } catch (error) {
      if (!(error instanceof ClawbooError)) log.error('an MCP request failed', { path: context.req.path, error })
      return refuse(context, error)
    }
  })
  for (const path of ['/.well-known/*', '/register', '/authorize', '/token'])
    app.all(path, (context) => {
      throw new ClawbooError('route_not_found', `nothing is served at ${context.req.path.slice(0, 200)}`)
    })
}

async function serve(context: HttpContext, servers: McpServers, identify: IdentifyCaller): Promise<Response> {
  const { incoming, outgoing } = context.env
  const caller = await identify(incoming)
  const server = await servers.http(context.req.param('server') ?? '')
  if (!server) throw new ClawbooError('route_not_found', `the MCP servers are ${servers.names.join(', ')}`)
  if (incoming.method !== 'POST') throw new ClawbooError('method_not_allowed', 'an MCP server accepts only POST')
  const body = await readJsonBody(incoming)
  // One request counts once against the limit.
  if (Array.isArray(body)) throw new ClawbooError('request_invalid', 'send one message at a time, not a batch')
  const plain = server.plainCall(incoming.headers, body, caller)
  if (!plain) return server.serve(withoutCredential(context), body, caller)
  const text = await plain(untilClosed(outgoing))
  // Written directly to the socket: a Response object would cost as much as the call.
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  outgoing.writeHead(200, headers).end(text)
  return RESPONSE_ALREADY_SENT
}

function untilClosed(outgoing: ServerResponse): AbortSignal {
  const closed = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) closed.abort()
  })
  return closed.signal
}

/** Keeps only the headers that the protocol reads, so that later code cannot log or repeat the secret. */
function withoutCredential({ req, env }: HttpContext): Request {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(env.incoming.headers)) {
    if (typeof value === 'string' && /^(?:accept|content-type|mcp-.+)$/.test(name)) headers[name] = value
  }
  return new Request(`http://localhost${req.path}`, { method: 'POST', headers, signal: req.raw.signal })
}

const RPC_CODES: Partial<Record<ClawbooErrorCode, number>> = {
  body_invalid: -32700,
  credential_missing: -32001,
  credential_refused: -32001,
  grant_refused: -32001,
  internal: -32603,
  request_invalid: -32600,
}

async function refuse(context: HttpContext, error: unknown): Promise<Response> {
  const { incoming } = context.env
  await discardBody(incoming)
  const { status, headers, body } = responseOfError(error)
  const { code, message } = (JSON.parse(body) as { error: { code: ClawbooErrorCode; message: string } }).error
  if (!incoming.complete) headers.connection = 'close'
  if (status === 401) headers['www-authenticate'] = 'Bearer error="invalid_token"'
  if (status === 405) headers.allow = 'POST'
  const refusal = { code: RPC_CODES[code] ?? -32000, message, data: { code } }
  return context.body(JSON.stringify({ jsonrpc: '2.0', error: refusal, id: null }), status, headers)
}
