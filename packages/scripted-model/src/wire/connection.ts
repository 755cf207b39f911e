import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RecordedRequest } from './recorded-requests.ts'

/** One HTTP exchange with a client, and the ways to break it. */
export interface Connection {
  readonly response: ServerResponse
  /** Fires when the connection is closed, by either side. */
  readonly gone: AbortSignal
  /** Sends the text, then destroys the socket. */
  cut(text: string): void
  /** Resets the socket before any response. */
  reset(): void
}

/** Watches how an exchange ends and records it. */
export function openConnection(response: ServerResponse, record: RecordedRequest): Connection {
  const gone = new AbortController()
  const ended = () => {
    record.endedAt ??= Date.now()
  }
  response.once('finish', ended)
  response.once('close', () => {
    if (record.endedAt === null) record.clientClosedAt = Date.now()
    gone.abort()
  })
  return {
    response,
    gone: gone.signal,
    cut(text) {
      // Bytes still in the socket's buffer when it is destroyed would never arrive.
      response.write(text, () => {
        ended()
        response.socket?.destroy()
      })
    },
    reset() {
      ended()
      response.socket?.resetAndDestroy()
    },
  }
}

const MAX_BODY_BYTES = 64 * 1024 * 1024

/** Reads the whole body as text; rejects when the client disconnects or sends too much. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new RangeError('The body is larger than 64 MB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
