import { ClawbooError } from '@clawboo/core'
import { isObject } from './tool-descriptor.ts'

/** One JSON-RPC message to an outside server and what came back for it. */
export interface Exchange {
  readonly status: number
  readonly sessionId: string | null
  /** null when there was none, such as for a notification. */
  readonly message: RpcAnswer | null
}

export type RpcAnswer =
  | { readonly result: Record<string, unknown> }
  | { readonly error: { readonly code: number; readonly message: string } }

const MOST_BYTES = 1_000_000

/** Sends it and reads the answer with its id, as JSON or out of an event stream. Throws `tool_server_failed`. */
export async function exchangeMessage(
  endpoint: string,
  message: { readonly id?: number; readonly method: string; readonly params?: unknown },
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Exchange> {
  const response = await fetch(endpoint, {
    method: 'POST',
    redirect: 'manual',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  }).catch((cause: unknown) => {
    throw signal.aborted ? signal.reason : serverFailed('it cannot be reached', cause)
  })
  const { status } = response
  const sessionId = response.headers.get('mcp-session-id')
  try {
    // Whoever follows a redirect sends the arguments to somebody whom nobody approved.
    if (status >= 300 && status < 400) throw serverFailed('it redirects, and redirects are not followed')
    if (status >= 500) throw serverFailed(`it answered with HTTP ${status}`)
    if (message.id === undefined) return { status, sessionId, message: null }
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
    const found = isStream ? await fromStream(response, message.id) : parseAnswer(await wholeText(response), message.id)
    return { status, sessionId, message: found }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    await response.body?.cancel().catch(() => {})
  }
}

export function serverFailed(why: string, cause?: unknown): ClawbooError {
  return new ClawbooError('tool_server_failed', `the outside server failed: ${why}`, { cause })
}

async function* boundedText(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let left = MOST_BYTES
  for await (const bytes of response.body ?? []) {
    left -= bytes.length
    if (left < 0) throw serverFailed(`its answer has more than ${MOST_BYTES} bytes`)
    yield decoder.decode(bytes, { stream: true })
  }
}

async function wholeText(response: Response): Promise<string> {
  let text = ''
  for await (const part of boundedText(response)) text += part
  return text
}

/** Requests and notifications of the server come by the same stream; they are not for us. */
async function fromStream(response: Response, id: number): Promise<RpcAnswer> {
  let rest = ''
  for await (const part of boundedText(response)) {
    const events = `${rest}${part}`.replaceAll('\r\n', '\n').split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const answer = parseAnswer(dataOf(event), id)
      if (answer) return answer
    }
  }
  const last = parseAnswer(dataOf(rest), id)
  if (last) return last
  throw serverFailed('its event stream ended without an answer')
}

function dataOf(event: string): string {
  return event
    .split('\n')
    .flatMap((line) => /^data:? ?(.*)$/.exec(line)?.[1] ?? [])
    .join('\n')
}

/** null when it is not the answer to this id. */
function parseAnswer(text: string, id: number): RpcAnswer | null {
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(said)) return null
  const { error, result } = said
  if (isObject(error) && (said.id === id || said.id === null || said.id === undefined)) {
    const { code, message } = error
    return { error: { code: Number(code), message: typeof message === 'string' ? message : 'no reason was given' } }
  }
  return said.id === id && isObject(result) ? { result } : null
}
