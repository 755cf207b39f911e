import type { ClawbooError } from '@clawboo/core'
import { serverFailed } from './server-failed.ts'

const MOST_BYTES = 1_000_000
/** Each event is parsed separately, so many small events cost far more than their bytes. */
const MOST_LINES = 20_000

/**
 * The only way to reach an outside server. Throws `tool_server_failed`. A body that turns out too large is also
 * `reported`, because a reader of an event stream does not see why it ended.
 */
export function createBoundedFetch(reported: (failure: ClawbooError) => void) {
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

export function isEventStream({ headers }: Response): boolean {
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
