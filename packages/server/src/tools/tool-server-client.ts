import { VERSION } from '../version.ts'
import { exchangeMessage, type RpcAnswer, serverFailed } from './exchange-message.ts'
import { MOST_TOOLS } from './tool-descriptor.ts'

/** Speaks to outside MCP servers. Keeps no connection: each operation is a conversation of its own. */
export interface ToolServerClient {
  /** What the server offers, unread. Throws `tool_server_failed`. */
  listTools(endpoint: string, signal?: AbortSignal): Promise<unknown[]>
  callTool(
    endpoint: string,
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<RpcAnswer>
}

const MODERN = '2026-07-28'
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26']
const CLIENT = { name: 'clawboo', version: VERSION }
const LIST_MS = 15_000
const CALL_MS = 60_000
const MOST_PAGES = 20

type Ask = (method: string, params: Record<string, unknown>, name?: string) => Promise<RpcAnswer>

export function createToolServerClient({ listMs = LIST_MS, callMs = CALL_MS } = {}): ToolServerClient {
  /** Servers that were seen to speak the newer protocol; forgotten with the process. */
  const modern = new Set<string>()

  async function within<T>(
    endpoint: string,
    ms: number,
    given: AbortSignal | undefined,
    work: (ask: Ask) => Promise<T>,
  ) {
    const timeout = AbortSignal.timeout(ms)
    const signal = given ? AbortSignal.any([given, timeout]) : timeout
    try {
      if (modern.has(endpoint) || (await speaksModern(endpoint, signal))) {
        modern.add(endpoint)
        return await work(askModern(endpoint, signal))
      }
      return await inSession(endpoint, signal, work)
    } catch (error) {
      modern.delete(endpoint)
      throw timeout.aborted && !given?.aborted ? serverFailed(`it did not answer within ${ms / 1000} seconds`) : error
    }
  }

  return {
    listTools: (endpoint, signal) =>
      within(endpoint, listMs, signal, async (ask) => {
        const tools: unknown[] = []
        let cursor: unknown
        for (let page = 0; page < MOST_PAGES && tools.length <= MOST_TOOLS; page++) {
          const answer = await ask('tools/list', cursor === undefined ? {} : { cursor })
          if (!('result' in answer) || !Array.isArray(answer.result.tools))
            throw serverFailed('it does not tell its tools')
          tools.push(...answer.result.tools)
          cursor = answer.result.nextCursor
          if (typeof cursor !== 'string') break
        }
        return tools
      }),
    callTool: (endpoint, name, args, signal) =>
      within(endpoint, callMs, signal, (ask) => ask('tools/call', { name, arguments: args }, name)),
  }
}

/** Asked with what does nothing: a call must not be sent twice to find out. */
async function speaksModern(endpoint: string, signal: AbortSignal): Promise<boolean> {
  const { message } = await sendModern(endpoint, 'server/discover', {}, undefined, signal)
  if (!message || !('result' in message)) return false
  const { supportedVersions } = message.result
  return Array.isArray(supportedVersions) && supportedVersions.includes(MODERN)
}

function sendModern(
  endpoint: string,
  method: string,
  params: Record<string, unknown>,
  name: string | undefined,
  signal: AbortSignal,
) {
  const prefix = 'io.modelcontextprotocol'
  const _meta = {
    [`${prefix}/protocolVersion`]: MODERN,
    [`${prefix}/clientInfo`]: CLIENT,
    [`${prefix}/clientCapabilities`]: {},
  }
  const headers = {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  }
  return exchangeMessage(endpoint, { id: 1, method, params: { ...params, _meta } }, headers, signal)
}

function askModern(endpoint: string, signal: AbortSignal): Ask {
  return async (method, params, name) =>
    demandMessage(await sendModern(endpoint, method, params, name, signal), 'to a request')
}

/** A session of before 2026: opened, used and given back. */
async function inSession<T>(endpoint: string, signal: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> {
  const hello = { protocolVersion: LEGACY[0], capabilities: {}, clientInfo: CLIENT }
  const opened = await exchangeMessage(endpoint, { id: 1, method: 'initialize', params: hello }, {}, signal)
  const answer = demandMessage(opened, 'to the greeting')
  const version = 'result' in answer ? answer.result.protocolVersion : undefined
  if (typeof version !== 'string' || !LEGACY.includes(version)) throw serverFailed('it speaks no protocol we know')
  const headers = {
    'mcp-protocol-version': version,
    ...(opened.sessionId !== null && { 'mcp-session-id': opened.sessionId }),
  }
  try {
    await exchangeMessage(endpoint, { method: 'notifications/initialized' }, headers, signal)
    let id = 1
    return await work(async (method, params) =>
      demandMessage(await exchangeMessage(endpoint, { id: ++id, method, params }, headers, signal), 'to a request'),
    )
  } finally {
    if (opened.sessionId !== null) endSession(endpoint, headers)
  }
}

/** A courtesy: the answer does not matter, and nobody waits for it. */
function endSession(endpoint: string, headers: Record<string, string>): void {
  fetch(endpoint, { method: 'DELETE', headers, redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    .then((response) => response.body?.cancel())
    .catch(() => {})
}

function demandMessage(
  { message, status }: { readonly message: RpcAnswer | null; readonly status: number },
  what: string,
): RpcAnswer {
  if (message) return message
  throw serverFailed(`it gave no answer ${what} (HTTP ${status})`)
}
