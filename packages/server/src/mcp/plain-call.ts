import { VERSION } from '../version.ts'
import type { ToolAnswer } from './call-tool.ts'

/** A `tools/call` from a 2026 client in exactly its usual form. */
export interface PlainCall {
  readonly id: string | number
  readonly name: string
  readonly args: unknown
}

const PROTOCOL = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const USUAL_META = [`${META}protocolVersion`, `${META}clientCapabilities`, `${META}clientInfo`]

/**
 * Nearly every request is a plain call, and the SDK would cost several times as much as the call itself. Returns null
 * for anything unusual, valid or not: the SDK handles that.
 */
export function readPlainCall(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: unknown,
): PlainCall | null {
  if (!hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return null
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !(typeof id === 'string' || Number.isSafeInteger(id))) return null
  if (!hasOnly(params, ['name', 'arguments', '_meta']) || !hasOnly(params._meta, USUAL_META)) return null
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || (args !== undefined && !isObject(args))) return null
  if (meta[USUAL_META[0]!] !== PROTOCOL || !isObject(meta[USUAL_META[1]!])) return null
  const client = meta[USUAL_META[2]!]
  if (client !== undefined && !(hasOnly(client, ['name', 'version']) && areTexts(client.name, client.version)))
    return null
  const headersMatch = headers['mcp-protocol-version'] === PROTOCOL && headers['mcp-method'] === method
  return headersMatch && headers['mcp-name'] === name ? { id: id as string | number, name, args } : null
}

/** Matches the SDK's wording. */
export function plainAnswer(table: { readonly name: string }, id: string | number, answer: ToolAnswer): string {
  const _meta = { [`${META}serverInfo`]: { name: `clawboo-${table.name}`, version: VERSION } }
  return JSON.stringify({ result: { ...answer, resultType: 'complete', _meta }, jsonrpc: '2.0', id })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasOnly(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).every((key) => keys.includes(key))
}

function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}
