import { createHash } from 'node:crypto'
import type { ProviderRow } from '../providers/provider-list.ts'

/** The ids that a provider accepts, and the length of generated ids. */
interface IdRule {
  readonly accepts: RegExp
  readonly length: number
}

const ANTHROPIC: IdRule = { accepts: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 }
const OPENAI: IdRule = { accepts: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 }
const GOOGLE: IdRule = { accepts: /^[a-zA-Z0-9]{1,40}$/, length: 24 }
const MISTRAL: IdRule = { accepts: /^[a-zA-Z0-9]{9}$/, length: 9 }

export type CallIds = ReturnType<typeof createCallIds>

/**
 * Assigns every call of a prompt an id that the provider accepts, and the same id to its result. Keeps an id that is
 * accepted already. Generated ids depend only on the stored id, so that the beginning of a growing
 * prompt does not change. A stored id that occurs twice, as from servers that restart at zero, becomes two ids.
 */
export function createCallIds(row: Pick<ProviderRow, 'wire' | 'baseUrl' | 'id'>) {
  const rule = ruleOf(row)
  const used = new Set<string>()
  const newest = new Map<string, string>()
  return {
    /** The id for a call that is stored with `id`. */
    ofCall(id: string): string {
      let safe = rule.accepts.test(id) ? id : generated(id, rule)
      for (let again = 2; used.has(safe); again++) safe = generated(`${id}#${again}`, rule)
      used.add(safe)
      newest.set(id, safe)
      return safe
    },
    /** The id for the result of the newest call that is stored with `id`; null = none. */
    ofResult: (id: string): string | null => newest.get(id) ?? null,
  }
}

function ruleOf(row: Pick<ProviderRow, 'wire' | 'baseUrl' | 'id'>): IdRule {
  if (row.wire === 'anthropic') return ANTHROPIC
  if (row.wire === 'google') return GOOGLE
  return row.id === 'mistral' || URL.parse(row.baseUrl)?.hostname.endsWith('mistral.ai') ? MISTRAL : OPENAI
}

function generated(id: string, rule: IdRule): string {
  return createHash('sha256').update(id).digest('hex').slice(0, rule.length)
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Whether every vendor accepts this tool name. */
export const isToolName = (name: string): boolean => TOOL_NAME.test(name)

/** A model can call a tool by a name that its own vendor refuses in the history. */
export function safeToolName(name: string): string {
  if (isToolName(name)) return name
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}
