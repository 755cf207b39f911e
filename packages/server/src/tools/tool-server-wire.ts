import { ClawbooError } from '@clawboo/core'
import { SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { serverFailed } from './server-failed.ts'

export type RpcAnswer =
  | { readonly result: Record<string, unknown> }
  | { readonly error: { readonly code: number; readonly message: string } }

/** `missing` is the reason when no response matched the request. */
export type RpcReply = RpcAnswer | { readonly missing: string }

export type ToolServerWire = Awaited<ReturnType<typeof openToolServerWire>>

const GIVE_BACK_MS = 5_000
/** A lost stream is not resumed: the call has failed, and the caller may repeat it. */
const NEVER_AGAIN = {
  maxRetries: 0,
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
}

interface Waiting {
  readonly id: number
  isStream: boolean
  readonly resolve: (reply: RpcReply) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends messages to one outside server, one request at a time. Loads the protocol's package, so import it on demand.
 */
export async function openToolServerWire(endpoint: string, signal: AbortSignal) {
  let id = 0
  let waiting: Waiting | null = null
  /** A server from before 2026 may not treat a closed connection as a cancellation, so it is notified. */
  let abandoned: number | null = null
  const boundedFetch = createBoundedFetch((failure) => waiting?.reject(failure))
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
    reconnectionOptions: NEVER_AGAIN,
    async fetch(url, init) {
      const response = await boundedFetch(url, init)
      if (waiting) waiting.isStream = isEventStream(response)
      return response
    },
  })
  // The server's own requests and notifications arrive here too; they are ignored.
  transport.onmessage = (message) => {
    if (!waiting || 'method' in message || (message.id !== undefined && message.id !== waiting.id)) return
    waiting.resolve('error' in message ? { error: message.error } : { result: message.result })
  }
  await transport.start()

  return {
    /** Throws `tool_server_failed` when the server cannot be expected to respond any more. */
    async ask(method: string, params: Record<string, unknown>) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<RpcReply>()
      const mine: Waiting = { id: ++id, isStream: false, resolve, reject }
      waiting = mine
      const cancelled = () => {
        if (transport.protocolVersion !== undefined) abandoned = mine.id
        reject(signal.reason)
      }
      signal.addEventListener('abort', cancelled, { once: true })
      const over = new AbortController()
      const requestSignal = AbortSignal.any([signal, over.signal])
      const onRequestStreamEnd = () => resolve({ missing: 'its event stream ended without a response' })
      transport.send({ jsonrpc: '2.0', id, method, params }, { requestSignal, onRequestStreamEnd }).then(
        () => mine.isStream || resolve({ missing: 'it did not respond to a request' }),
        (error: unknown) => (error instanceof ClawbooError ? reject(error) : resolve({ missing: reasonOf(error) })),
      )
      try {
        return await promise
      } finally {
        // The server may keep a stream open after its response.
        over.abort()
        signal.removeEventListener('abort', cancelled)
        waiting = null
      }
    },
    /** Starts a session of this protocol version from before 2026. */
    async beginSession(version: string) {
      transport.setProtocolVersion(version)
      await notify(transport, 'notifications/initialized', {}, signal)
    },
    /** Ends open requests and the session. Never rejects, and need not be awaited. */
    giveBack: () => giveBack(transport, abandoned),
  }
}

/** Each step is best effort: the call is over, and a server that does not respond must not change its result. */
async function giveBack(transport: StreamableHTTPClientTransport, abandoned: number | null): Promise<void> {
  const late = setTimeout(() => transport.close(), GIVE_BACK_MS).unref()
  if (abandoned !== null) await notify(transport, 'notifications/cancelled', { requestId: abandoned }).catch(() => {})
  await transport.terminateSession().catch(() => {})
  clearTimeout(late)
  await transport.close().catch(() => {})
}

/** Throws `tool_server_failed`; the server's response to the message does not matter. */
async function notify(
  transport: StreamableHTTPClientTransport,
  method: string,
  params: Record<string, unknown>,
  requestSignal?: AbortSignal,
): Promise<void> {
  await transport.send({ jsonrpc: '2.0', method, params }, { requestSignal }).catch((error: unknown) => {
    if (error instanceof ClawbooError) throw error
  })
}

function reasonOf(error: unknown): string {
  const status = error instanceof SdkHttpError ? ` (HTTP ${error.status})` : ''
  return `it did not respond to a request${status}`
}

const MOST_BYTES = 1_000_000
/** Each event is parsed separately, so many small events cost far more than their bytes. */
const MOST_LINES = 20_000

/**
 * The only way to reach an outside server. Throws `tool_server_failed`. A body that turns out too large is also
 * `reported`, because a reader of an event stream does not see why it ended.
 */
function createBoundedFetch(reported: (failure: ClawbooError) => void) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    // The stream of server notifications: nothing reads it, and it would stay open.
    if (init.method === 'GET') return new Response(null, { status: 405 })
    const response = await fetch(url, { ...init, redirect: 'manual' }).catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : serverFailed('it cannot be reached', cause)
    })
    const { status, headers, body } = response
    const refusal = refusalOf(status)
    if (refusal !== null) {
      // The refusal is the error to report, not a failure to close its body.
      await body?.cancel().catch(() => {})
      throw serverFailed(refusal)
    }
    const limited = body?.pipeThrough(withinBounds(isEventStream(response) ? MOST_LINES : null, reported))
    return new Response(limited, { status, headers })
  }
}

function isEventStream({ headers }: Response): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '')
}

function refusalOf(status: number): string | null {
  // Following a redirect would send the arguments to a server that nobody approved.
  if (status >= 300 && status < 400) return 'it redirects, and redirects are not followed'
  return status >= 500 ? `it responded with HTTP ${status}` : null
}

function withinBounds(mostLines: number | null, reported: (failure: ClawbooError) => void) {
  let bytesLeft = MOST_BYTES
  let linesLeft = mostLines ?? Number.POSITIVE_INFINITY
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      bytesLeft -= bytes.length
      if (mostLines !== null) linesLeft -= countLines(bytes)
      if (bytesLeft >= 0 && linesLeft >= 0) return controller.enqueue(bytes)
      const most = bytesLeft < 0 ? `${MOST_BYTES} bytes` : `${mostLines} lines`
      const failure = serverFailed(`its response has more than ${most}`)
      reported(failure)
      controller.error(failure)
    },
  })
}

function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (const byte of bytes) if (byte === 0x0a || byte === 0x0d) lines++
  return lines
}
