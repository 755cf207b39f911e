import { VERSION } from '../version.ts'
import { serverFailed } from './server-failed.ts'
import { MOST_TOOLS } from './tool-descriptor.ts'
import type { RpcAnswer, RpcReply, ToolServerWire } from './tool-server-wire.ts'

export type ToolServerClient = ReturnType<typeof createToolServerClient>

const MODERN = '2026-07-28'
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26']
const CLIENT = { name: 'clawboo', version: VERSION }
const LIST_MS = 15_000
const CALL_MS = 60_000
const MOST_PAGES = 20

type Ask = (method: string, params: Record<string, unknown>) => Promise<RpcAnswer>

/** Calls outside MCP servers. Keeps no connection: each operation opens its own. */
export function createToolServerClient({ listMs = LIST_MS, callMs = CALL_MS } = {}) {
  /** Servers known to use the newer protocol, for the lifetime of the process. */
  const modern = new Set<string>()

  async function within<T>(
    endpoint: string,
    ms: number,
    given: AbortSignal | undefined,
    work: (ask: Ask) => Promise<T>,
  ) {
    // Loaded on demand: without outside tools, the protocol's package is not needed.
    const { openToolServerWire } = await import('./tool-server-wire.ts')
    const timeout = AbortSignal.timeout(ms)
    const wire = await openToolServerWire(endpoint, given ? AbortSignal.any([given, timeout]) : timeout)
    try {
      if (modern.has(endpoint) || (await speaksModern(wire))) {
        modern.add(endpoint)
        return await work(async (method, params) => demandAnswer(await askModern(wire, method, params)))
      }
      await beginSession(wire)
      return await work(async (method, params) => demandAnswer(await wire.ask(method, params)))
    } catch (error) {
      modern.delete(endpoint)
      throw timeout.aborted && !given?.aborted ? serverFailed(`it did not respond within ${ms / 1000} seconds`) : error
    } finally {
      void wire.giveBack()
    }
  }

  return {
    /** The server's tools, unvalidated. Throws `tool_server_failed`. */
    listTools: (endpoint: string, signal?: AbortSignal) =>
      within(endpoint, listMs, signal, async (ask) => {
        const tools: unknown[] = []
        let cursor: unknown
        for (let page = 0; page < MOST_PAGES && tools.length <= MOST_TOOLS; page++) {
          const answer = await ask('tools/list', cursor === undefined ? {} : { cursor })
          if (!('result' in answer) || !Array.isArray(answer.result.tools))
            throw serverFailed('it does not list its tools')
          for (const tool of answer.result.tools) tools.push(tool)
          cursor = answer.result.nextCursor
          if (typeof cursor !== 'string') break
        }
        return tools
      }),
    callTool: (endpoint: string, name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) =>
      within(endpoint, callMs, signal, async (ask) => {
        const answer = await ask('tools/call', { name, arguments: args })
        // The protocol answers such a question by repeating the call; nobody here can answer it.
        if ('result' in answer && answer.result.resultType === 'input_required')
          throw serverFailed('it asks a question instead of answering')
        return answer
      }),
  }
}

/** Asks with a request that has no effect: a call must not be sent twice to find out the version. */
async function speaksModern(wire: ToolServerWire): Promise<boolean> {
  const reply = await askModern(wire, 'server/discover', {})
  if (!('result' in reply)) return false
  const { supportedVersions } = reply.result
  return Array.isArray(supportedVersions) && supportedVersions.includes(MODERN)
}

function askModern(wire: ToolServerWire, method: string, params: Record<string, unknown>): Promise<RpcReply> {
  const prefix = 'io.modelcontextprotocol'
  const _meta = {
    [`${prefix}/protocolVersion`]: MODERN,
    [`${prefix}/clientInfo`]: CLIENT,
    [`${prefix}/clientCapabilities`]: {},
  }
  return wire.ask(method, { ...params, _meta })
}

async function beginSession(wire: ToolServerWire): Promise<void> {
  const hello = { protocolVersion: LEGACY[0], capabilities: {}, clientInfo: CLIENT }
  const answer = demandAnswer(await wire.ask('initialize', hello))
  const version = 'result' in answer ? answer.result.protocolVersion : undefined
  if (typeof version !== 'string' || !LEGACY.includes(version))
    throw serverFailed('it supports none of the known protocol versions')
  await wire.beginSession(version)
}

function demandAnswer(reply: RpcReply): RpcAnswer {
  if ('missing' in reply) throw serverFailed(reply.missing)
  return reply
}
