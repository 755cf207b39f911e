import { createHash } from 'node:crypto'
import type { ProviderRow } from './provider-list.ts'

/** What ids a provider takes, and how many characters a made one has. */
interface IdRule {
  readonly accepts: RegExp
  readonly length: number
}

const ANTHROPIC: IdRule = { accepts: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 }
const OPENAI: IdRule = { accepts: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 }
const GOOGLE: IdRule = { accepts: /^[a-zA-Z0-9]{1,40}$/, length: 24 }
const MISTRAL: IdRule = { accepts: /^[a-zA-Z0-9]{9}$/, length: 9 }

/** Gives every call of a prompt an id that this provider takes, and its result the same one. */
export interface CallIds {
  /** The id of a call that was stored under `id`. */
  ofCall(id: string): string
  /** The id of the result of the newest call that was stored under `id`; null when there is none. */
  ofResult(id: string): string | null
}

/**
 * An id that fits stays. Others depend on the stored id alone, so that a prompt grows without changing its beginning.
 * A stored id that occurs twice, as from servers that count from zero in every answer, becomes two ids.
 */
export function createCallIds(row: Pick<ProviderRow, 'wire' | 'baseUrl' | 'id'>): CallIds {
  const rule = ruleOf(row)
  const used = new Set<string>()
  const newest = new Map<string, string>()
  return {
    ofCall(id) {
      let safe = rule.accepts.test(id) ? id : made(id, rule)
      for (let again = 2; used.has(safe); again++) safe = made(`${id}#${again}`, rule)
      used.add(safe)
      newest.set(id, safe)
      return safe
    },
    ofResult: (id) => newest.get(id) ?? null,
  }
}

function ruleOf(row: Pick<ProviderRow, 'wire' | 'baseUrl' | 'id'>): IdRule {
  if (row.wire === 'anthropic') return ANTHROPIC
  if (row.wire === 'google') return GOOGLE
  return row.id === 'mistral' || URL.parse(row.baseUrl)?.hostname.endsWith('mistral.ai') ? MISTRAL : OPENAI
}

function made(id: string, rule: IdRule): string {
  return createHash('sha256').update(id).digest('hex').slice(0, rule.length)
}
