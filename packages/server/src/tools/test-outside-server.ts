import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createMcpServer } from '../mcp/create-mcp-server.ts'
import { serveTableOverHttp } from '../mcp/serve-http.ts'
import { defineTool, type ToolTable } from '../mcp/tool-table.ts'

export interface OutsideServer {
  readonly endpoint: string
  /** Every request it got. */
  readonly requests: { readonly method: string; readonly rpc: string | null; readonly body: string }[]
  close(): Promise<void>
}

const OPERATOR = { kind: 'operator' } as const
const watch = { mistake: () => {}, refused: async () => {} }

/** Tools that do nothing, with these words. */
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

/** A server that somebody else might run, with our own factory. `table` is asked for each time, so it can change. */
export function startOutsideServer(table: () => ToolTable): Promise<OutsideServer> {
  return startServer(async (request, body, response) => {
    const served = serveTableOverHttp(table(), watch)
    await send(response, await served.serve(asRequest(request, response), JSON.parse(body || 'null'), OPERATOR))
  })
}

/** One that only knows the protocol of before 2026, keeps sessions and answers with event streams. */
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

/** One that answers however a test likes. */
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
