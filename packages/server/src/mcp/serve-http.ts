import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { callTool, type ToolWatch } from './call-tool.ts'
import type { Caller } from './caller.ts'
import { createMcpServer } from './create-mcp-server.ts'
import { plainAnswer, readPlainCall } from './plain-call.ts'
import { findTool, type ToolTable } from './tool-table.ts'

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
  /** Call nothing after it. */
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
