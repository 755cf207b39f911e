import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createMcpServer, serveTableOverHttp } from '../mcp/serve-http.ts'
import { defineTool, type ToolTable } from '../mcp/tool-table.ts'

export interface OutsideServer {
  readonly endpoint: string
  /** Every request it received. */
  readonly requests: { readonly method: string; readonly rpc: string | null; readonly body: string }[]
  close(): Promise<void>
}

const OPERATOR = { kind: 'operator' } as const
const watch = { mistake: () => {}, refused: async () => {} }

/** A table of tools with these descriptions that do nothing. */
export function outsideTable(...tools: readonly (readonly [name: string, description: string])[]): ToolTable {
  return {
    name: 'outside',
    instructions: '',
    tools: tools.map(([name, description]) =>
      defineTool({
        name,
        title: name,
        description,
        input: z.strictObject({ count: z.number().optional().describe('How many') }),
        output: z.strictObject({}),
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        handler: async () => ({}),
      }),
    ),
  }
}

/** An outside server built with our own factory. Calls `table` each time, so that the tools can change. */
export function startOutsideServer(table: () => ToolTable): Promise<OutsideServer> {
  return startServer(async (request, body, response) => {
    const served = serveTableOverHttp(table(), watch)
    await send(response, await served.serve(asRequest(request, response), JSON.parse(body || 'null'), OPERATOR))
  })
}

/** A server with only the protocol from before 2026, with sessions and event streams. */
export function startSessionServer(
  table: ToolTable,
): Promise<OutsideServer & { readonly sessions: Map<string, unknown> }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const started = startServer(async (request, body, response) => {
    const parsedBody = body === '' ? undefined : (JSON.parse(body) as { method?: string })
    let transport = sessions.get(String(request.headers['mcp-session-id']))
    if (!transport && parsedBody?.method !== 'initialize') return void response.writeHead(400).end('no session')
    if (!transport) {
      const opened = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, opened),
        onsessionclosed: (id) => void sessions.delete(id),
      })
      transport = opened
      await createMcpServer(table, OPERATOR, watch).connect(transport)
    }
    await send(response, await transport.handleRequest(asRequest(request, response), { parsedBody }))
  })
  return started.then((server) => ({ ...server, sessions }))
}

/** A server that responds as the test decides. */
export async function startServer(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => unknown,
): Promise<OutsideServer> {
  const requests: OutsideServer['requests'] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const rpc = /"method":"([^"]+)"/.exec(body)?.[1] ?? null
    requests.push({ method: request.method ?? '', rpc, body })
    await answer(request, body, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function asRequest({ method, headers }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return new Request('http://outside.test/mcp', { method: method ?? 'POST', headers: kept, signal: gone.signal })
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) response.write(chunk)
  response.end()
}
