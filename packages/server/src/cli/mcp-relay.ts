import { print } from './terminal/print.ts'

interface McpRelay {
  /** The URL of one MCP server. */
  readonly url: string
  readonly token: string
  readonly input: AsyncIterable<Buffer | string>
  readonly output: NodeJS.WritableStream
}

type Id = string | number

interface Message {
  readonly id?: Id
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

const MAX_LINE_CHARACTERS = 4 * 1024 * 1024
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/**
 * Sends each input line as a request and writes the responses. Resolves when the input has ended and every response is
 * written.
 */
export async function relayMcp({ url, token, input, output }: McpRelay): Promise<void> {
  const underWay = new Map<Id, AbortController>()
  const pending = new Set<Promise<void>>()
  let written = Promise.resolve()
  const answer = (message: unknown) => {
    written = written.then(() => print(output, `${JSON.stringify(message)}\n`))
    return written
  }

  const handle = async (message: Message) => {
    const { id } = message
    const stop = new AbortController()
    if (id !== undefined) underWay.set(id, stop)
    try {
      const reply = await send(url, token, message, stop.signal)
      if (reply !== null && id !== undefined && !stop.signal.aborted) await answer({ ...reply, id })
    } finally {
      if (id !== undefined) underWay.delete(id)
    }
  }

  for await (const line of linesOf(input)) {
    const message = line === null ? null : readMessage(line)
    if (message === null) {
      await answer({
        jsonrpc: '2.0',
        error: { code: -32700, message: 'each line must be one JSON-RPC message' },
        id: null,
      })
      continue
    }
    // A client that cancels expects no response; closing the connection cancels the tool call.
    if (message.method === 'notifications/cancelled') underWay.get(message.params?.requestId as Id)?.abort()
    const handled = handle(message).finally(() => pending.delete(handled))
    pending.add(handled)
  }
  await Promise.all(pending)
}

/** Returns the server's response without its id, or null when there is none. */
async function send(
  url: string,
  token: string,
  message: Message,
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  try {
    const headers = { ...headersOf(message), authorization: `Bearer ${token}` }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message), signal })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body = isJson ? ((await response.json()) as Record<string, unknown>) : null
    if (!isJson) await response.body?.cancel()
    if (body) return body
    return response.status === 202 ? null : failure(-32601, 'the server did not respond with JSON')
  } catch (error) {
    if (signal.aborted) return null
    return failure(-32000, `the Clawboo server does not respond: ${(error as Error).message}`)
  }
}

function failure(code: number, message: string): Record<string, unknown> {
  return { jsonrpc: '2.0', error: { code, message } }
}

/** The 2026 version of MCP repeats parts of the body in the request's headers. */
function headersOf({ method, params }: Message): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const version = (params?._meta as Record<string, unknown> | undefined)?.[VERSION_KEY]
  if (typeof version !== 'string' || method === undefined) return headers
  const name = params?.name
  return {
    ...headers,
    'mcp-protocol-version': headerText(version),
    'mcp-method': headerText(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}

/** A header accepts fewer characters than JSON. The server refuses a message whose header differs from its body. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}

function readMessage(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : null
  } catch {
    return null
  }
}

/** Yields null for a line that is too long to buffer. */
async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder()
  let rest = ''
  let isTooLong = false
  for await (const chunk of input) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (isTooLong) yield null
      else if (line.trim() !== '') yield line
      isTooLong = false
    }
    if (rest.length > MAX_LINE_CHARACTERS) {
      isTooLong = true
      rest = ''
    }
  }
  if (!isTooLong && rest.trim() !== '') yield rest
}
