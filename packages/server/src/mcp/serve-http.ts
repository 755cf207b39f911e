import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { VERSION } from '../version.ts'
import { callTool, type ToolAnswer, type ToolWatch } from './call-tool.ts'
import type { Caller } from './caller.ts'
import { findTool, listTools, type ToolTable } from './tool-table.ts'

/** One table over HTTP. Keeps no state between requests and responds with JSON, never with a stream. */
export interface McpHttpServer {
  /**
   * Runs a call in the usual form and returns the JSON response. Returns null for anything else, which `serve` handles.
   */
  plainCall(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: unknown,
    caller: Caller,
  ): ((signal: AbortSignal) => Promise<string>) | null
  /** `request` contains no credential, and its body is already read. */
  serve(request: Request, body: unknown, caller: Caller): Promise<Response>
  /** After this, no other method may be called. */
  close(): Promise<void>
}

export function serveTableOverHttp(table: ToolTable, watch: ToolWatch): McpHttpServer {
  const serverFor = (context: McpRequestContext) =>
    createMcpServer(table, context.authInfo!.extra!.caller as Caller, watch)
  // The SDK serves clients from before 2026 only with event streams, so those clients are handled below.
  const modern = createMcpHandler(serverFor, { legacy: 'reject', onerror: (error) => watch.mistake(table.name, error) })
  return {
    plainCall(headers, body, caller) {
      const call = readPlainCall(headers, body)
      // The SDK refuses unknown tools.
      if (!call || !findTool(table, caller, call.name)) return null
      return async (signal) => plainAnswer(table, call.id, (await callTool(table, caller, { ...call, signal }, watch))!)
    },
    async serve(request, body, caller) {
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra: { caller } }
      const isLegacy = await isLegacyRequest(request, body)
      if (!isLegacy && isSubscription(body)) return notHere(body.id)
      if (!isLegacy) return modern.fetch(request, { authInfo, parsedBody: body })
      return serveLegacy(createMcpServer(table, caller, watch), request, { authInfo, parsedBody: body })
    },
    close: () => modern.close(),
  }
}

/** The SDK would keep a stream open beyond the end of the grant, and no list here ever changes. */
function isSubscription(body: unknown): body is { readonly id?: unknown } {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'
}

function notHere(id: unknown): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'there is nothing to subscribe to here' }
  return Response.json({ jsonrpc: '2.0', id: id ?? null, error }, { status: 404 })
}

async function serveLegacy(
  server: ReturnType<typeof createMcpServer>,
  request: Request,
  options: { readonly authInfo: AuthInfo; readonly parsedBody: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  await server.connect(transport)
  const stop = () => void server.close()
  request.signal.addEventListener('abort', stop, { once: true })
  try {
    return await transport.handleRequest(request, options)
  } finally {
    request.signal.removeEventListener('abort', stop)
    stop()
  }
}

/**
 * Wraps a table as the SDK's server for one caller. Cheap and never shared: the next request may have another caller.
 */
export function createMcpServer(table: ToolTable, caller: Caller, watch: ToolWatch): Server {
  const server = new Server(
    { name: `clawboo-${table.name}`, version: VERSION },
    { capabilities: { tools: { listChanged: false } }, instructions: table.instructions },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...listTools(table, caller)] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const call = { name: params.name, args: params.arguments, signal: context.mcpReq.signal }
    const answer = await callTool(table, caller, call, watch)
    if (!answer) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool "${params.name}" here`)
    return { ...answer }
  })
  return server
}

/** A `tools/call` from a 2026 client in exactly its usual form. */
interface PlainCall {
  readonly id: string | number
  readonly name: string
  readonly args: unknown
}

const PROTOCOL = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const USUAL_META = [`${META}protocolVersion`, `${META}clientCapabilities`, `${META}clientInfo`]

/**
 * Nearly every request is a plain call, and the SDK would cost several times as much as the call itself. Returns null
 * for anything unusual, valid or not: the SDK handles that.
 */
export function readPlainCall(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: unknown,
): PlainCall | null {
  if (!hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return null
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !(typeof id === 'string' || Number.isSafeInteger(id))) return null
  if (!hasOnly(params, ['name', 'arguments', '_meta']) || !hasOnly(params._meta, USUAL_META)) return null
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || (args !== undefined && !isObject(args))) return null
  if (meta[USUAL_META[0]!] !== PROTOCOL || !isObject(meta[USUAL_META[1]!])) return null
  const client = meta[USUAL_META[2]!]
  if (client !== undefined && !(hasOnly(client, ['name', 'version']) && areTexts(client.name, client.version)))
    return null
  const headersMatch = headers['mcp-protocol-version'] === PROTOCOL && headers['mcp-method'] === method
  return headersMatch && headers['mcp-name'] === name ? { id: id as string | number, name, args } : null
}

/** Matches the SDK's wording. */
export function plainAnswer(table: { readonly name: string }, id: string | number, answer: ToolAnswer): string {
  const _meta = { [`${META}serverInfo`]: { name: `clawboo-${table.name}`, version: VERSION } }
  return JSON.stringify({ result: { ...answer, resultType: 'complete', _meta }, jsonrpc: '2.0', id })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasOnly(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).every((key) => keys.includes(key))
}

function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}
