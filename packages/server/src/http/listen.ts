import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import { getRequestListener } from '@hono/node-server'
import type { RequestGuard } from '../access/request-guard.ts'
import type { createApp } from './app.ts'
import { discardBody } from './discard-body.ts'
import { errorResponse } from './error-response.ts'

export interface Listening {
  readonly port: number
  /** Starts serving; until then every request gets a 503. */
  serve(app: ReturnType<typeof createApp>, guard: RequestGuard): void
  /** Accepts no new request, lets active ones end, and cuts the rest after `graceMs`. */
  close(graceMs?: number): Promise<void>
}

const PORTS_TO_TRY = 20
const SHUTDOWN_GRACE_MS = 3_000

/** Sent with every response, including refusals. */
const SAFE_HEADERS = [
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
] as const

/** Binds the port first, because the guard needs to know it. */
export async function listen(options: {
  readonly host: string
  readonly port: number
  readonly searchOn: boolean
}): Promise<Listening> {
  let respond: (request: IncomingMessage, response: ServerResponse) => unknown = (request, response) =>
    refuse(request, response, 'store_unavailable', 'the server is starting')
  let guardOf: RequestGuard | null = null
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 5_000, maxHeaderSize: 16_384 },
    (request, response) => {
      for (const [name, value] of SAFE_HEADERS) response.setHeader(name, value)
      respond(request, response)
    },
  )
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    // Node no longer handles this socket: without a listener, a peer that resets it would end the process.
    socket.on('error', () => {})
    const refusal = guardOf?.(headOf(request)) ?? UPGRADE_REFUSED
    socket.end(refusalText(refusal.code, refusal.message), () => socket.destroy())
  })
  const port = await bind(server, options)

  return {
    port,
    serve(app, guard) {
      guardOf = guard
      const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
      respond = (request, response) => {
        const refusal = guard(headOf(request))
        if (refusal) void refuse(request, response, refusal.code, refusal.message)
        else void listener(request, response)
      }
    },
    close: (graceMs = SHUTDOWN_GRACE_MS) =>
      new Promise((resolve) => {
        // Includes sockets that Node no longer counts as connections, such as a refused upgrade that stays open.
        const cut = setTimeout(() => {
          for (const socket of sockets) socket.destroy()
        }, graceMs)
        server.close(() => {
          clearTimeout(cut)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

const UPGRADE_REFUSED = { code: 'upgrade_refused', message: 'this server does not support upgrades' } as const

function refusalText(code: ClawbooErrorCode, message: string): string {
  const { status, body } = errorResponse(code, message)
  const length = Buffer.byteLength(body)
  return `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`
}

function headOf(request: IncomingMessage) {
  return { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders }
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: ClawbooErrorCode,
  message: string,
): Promise<void> {
  await discardBody(request)
  const { status, headers, body } = errorResponse(code, message)
  response.writeHead(status, { ...headers, connection: 'close' }).end(body)
}

async function bind(
  server: Server,
  { host, port, searchOn }: { host: string; port: number; searchOn: boolean },
): Promise<number> {
  for (let wanted = port; ; wanted++) {
    const problem = await tryPort(server, host, wanted)
    if (problem === null) return (server.address() as AddressInfo).port
    const mayGoOn = searchOn && problem.code === 'EADDRINUSE' && wanted < port + PORTS_TO_TRY
    if (!mayGoOn)
      throw new ClawbooError('config_invalid', `cannot listen on ${host}:${wanted}: ${problem.message}`, {
        cause: problem,
      })
  }
}

function tryPort(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException) => resolve(error)
    server.once('error', onError)
    server.listen(port, host, () => {
      server.off('error', onError)
      resolve(null)
    })
  })
}
