import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { createTestFleet, type TestAgent, type TestFleet } from './test-gateway-agents.ts'
import { createTestApprovals, type TestApprovals } from './test-gateway-approvals.ts'
import { createTestConfig, type TestConfig } from './test-gateway-config.ts'
import { HandshakeRefusal, helloOk, judgeConnect } from './test-gateway-handshake.ts'
import { answer, type Caller, type Methods, Refusal } from './test-gateway-method.ts'
import { createTestSessions, type TestSessions } from './test-gateway-sessions.ts'
import { type Json, newestVersion } from './test-recordings.ts'
import { versionFacts } from './test-version-facts.ts'

export interface TestGatewayOptions {
  /** The recorded release that it plays. Default: the newest. */
  readonly version?: string
  readonly token?: string
  readonly port?: number
  /** In addition to `main`. */
  readonly agents?: readonly (Partial<TestAgent> & { readonly id: string })[]
  /** The delay before `agents.list` shows a write. */
  readonly listLagMs?: number
  /** The scopes of a connection without a device; null = all that it requests. */
  readonly scopes?: readonly string[] | null
  readonly deviceScopes?: readonly string[] | null
  /** Refuses connections without a device. */
  readonly requiresDevice?: boolean
  /** Reports that it is starting until this resolves. */
  readonly refuseUntil?: Promise<unknown>
}

/** A stand-in for an OpenClaw Gateway: a real WebSocket server that behaves as recorded. */
export interface TestGateway {
  readonly port: number
  readonly url: string
  token: string
  readonly fleet: TestFleet
  readonly config: TestConfig
  readonly sessions: TestSessions
  readonly approvals: TestApprovals
  /** Every received request, oldest first. */
  readonly sent: readonly { readonly method: string; readonly params: Json }[]
  /** The headers of every attempted connection. */
  readonly tried: readonly IncomingMessage['headers'][]
  /** A test's own answers, by method. */
  readonly answers: Record<string, (params: Json) => unknown>
  /** Broadcasts to every connection. */
  say(event: string, payload: unknown): void
  /** Sends a raw text to every connection. */
  sayRaw(text: string): void
  /** Drops the next broadcast. */
  loseFrame(): void
  dropConnections(): void
  /** Simulates a restart: closes the connections and changes the boot id. */
  restart(): void
  close(): Promise<void>
}

interface Connection extends Caller {
  readonly socket: WebSocket
  scopes: readonly string[]
  caps: readonly string[]
  isOpen: boolean
  seq: number
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { version = newestVersion(), scopes = null, deviceScopes = null, requiresDevice = false } = options
  const facts = versionFacts(version)
  const fleet = createTestFleet(facts, options.listLagMs ?? 20)
  for (const agent of [{ id: 'main' }, ...(options.agents ?? [])]) fleet.put(agent)
  const connections = new Set<Connection>()
  const sent: { method: string; params: Json }[] = []
  const tried: IncomingMessage['headers'][] = []
  const answers: TestGateway['answers'] = {}
  let [bootId, isStarting] = [randomUUID() as string, options.refuseUntil !== undefined]
  void options.refuseUntil?.then(() => {
    isStarting = false
  })

  const say = (event: string, payload: unknown) => {
    for (const each of connections) if (each.isOpen && receives(each, event, payload)) sendEvent(each, event, payload)
  }
  const config = createTestConfig(facts, say)
  const sessions = createTestSessions(version, facts, fleet, (event, payload) => {
    approvals.note(event, payload)
    say(event, payload)
  })
  const approvals = createTestApprovals(version, say, sessions.methods)
  const methods: Methods = { ...fleet.methods, ...config.methods, ...sessions.methods, ...approvals.methods }
  const http = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url !== '/healthz') response.statusCode = 404
    response.end(JSON.stringify({ ok: request.url === '/healthz', status: 'live' }))
  })
  const server = new WebSocketServer({ server: http })
  server.on('connection', (socket, { headers }) => {
    tried.push(headers)
    const connection: Connection = { socket, scopes: [], caps: [], subscribed: new Set(), isOpen: false, seq: 0 }
    const challenge = { nonce: randomUUID(), ts: Date.now() }
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
    socket.on('error', () => {})
    const connect = (params: Json) => {
      if (isStarting) throw starting()
      const { nonce, ts: challengedAt } = challenge
      const rules = { token: gateway.token, nonce, challengedAt, scopes, deviceScopes, requiresDevice }
      connection.scopes = judgeConnect(params, { ...rules, origin: headers.origin })
      connection.caps = (params.caps ?? []) as readonly string[]
      connection.isOpen = true
      return helloOk({ version, bootId, connId: randomUUID(), scopes: connection.scopes })
    }
    socket.on('message', async (data) => {
      const { id, method, params = {} } = JSON.parse(String(data)) as { id: string; method: string; params?: Json }
      sent.push({ method, params })
      const reply = (more: Json) => socket.send(JSON.stringify({ type: 'res', id, ...more }))
      try {
        if (!connection.isOpen && method !== 'connect')
          throw new HandshakeRefusal('invalid handshake: first request must be connect')
        const own = Object.hasOwn(answers, method) ? answers[method] : undefined
        const payload = own
          ? await own(params)
          : method === 'connect'
            ? connect(params)
            : await answer(methods, method, params, connection)
        reply({ ok: true, payload })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        reply({ ok: false, error: error.error })
        if (error instanceof HandshakeRefusal) socket.close(error.closeCode, error.message.slice(0, 120))
      }
    })
    socket.send(JSON.stringify({ type: 'event', event: 'connect.challenge', payload: challenge }))
  })
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  const gateway: TestGateway = {
    port,
    url: `ws://127.0.0.1:${port}`,
    token: options.token ?? 'gateway-token-of-a-test',
    ...{ fleet, config, sessions, approvals, sent, tried, answers, say },
    sayRaw: (text) => {
      for (const { socket } of connections) socket.send(text)
    },
    loseFrame: () => {
      for (const each of connections) each.seq += 1
    },
    dropConnections: () => {
      for (const { socket } of connections) socket.terminate()
    },
    restart: () => {
      say('shutdown', { reason: 'gateway stopping' })
      for (const { socket } of connections) socket.close(1012, 'service restart')
      sessions.scripted.die()
      bootId = randomUUID()
    },
    async close() {
      for (const { socket } of connections) socket.terminate()
      server.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return gateway
}

function sendEvent(connection: Connection, event: string, payload: unknown): void {
  connection.seq += 1
  connection.socket.send(JSON.stringify({ type: 'event', event, payload, seq: connection.seq }))
}

/** Rows go only to subscribers, tool frames only to clients with the capability. */
function receives({ subscribed, caps }: Connection, event: string, payload: unknown): boolean {
  const { sessionKey, stream } = (payload ?? {}) as Json
  if (event === 'session.message') return subscribed.has(String(sessionKey))
  return event !== 'agent' || stream !== 'tool' || caps.includes('tool-events')
}

function starting(): HandshakeRefusal {
  const details = { reason: 'startup-sidecars' }
  const more = { code: 'UNAVAILABLE', retryable: true, retryAfterMs: 500, details }
  return new HandshakeRefusal('gateway starting; retry shortly', more, 1013)
}
