import {
  CHANGE_WORDS,
  CONFIRM_WORDS,
  DESTROY_WORDS,
  MONEY_WORDS,
  NOUN_OR_VERB,
  PAY_WORDS,
  READ_WORDS,
  SEND_WORDS,
} from './effect-words.ts'
import { stemsOf } from './word-stem.ts'

/**
 * What a call of a tool does. `opens` is a visit to an address, which reads but may also act; `confirms` completes what
 * an earlier call began.
 */
export type ToolEffect = 'reads' | 'opens' | 'confirms' | 'changes' | 'sends' | 'destroys' | 'pays'

export interface GatedTool {
  readonly name: string
  readonly description?: string | null
  /** The JSON schema of the arguments. */
  readonly parameters?: unknown
  /** Nobody offered it: its name is the model's own. */
  readonly isUnknown?: boolean
}

/**
 * The effect of a tool, from the verb in its name and otherwise the first word of its description. A tool that has
 * neither changes something: not knowing is no reason to let it run.
 */
export function effectOfTool(tool: GatedTool): ToolEffect {
  if (tool.isUnknown) return 'changes'
  const name = stemsOf(tool.name)
  const description = stemsOf((tool.description ?? '').slice(0, 2000))
  const [first = ''] = description
  const named = verbIn(name)
  const effect = named ?? effectOfVerb(first) ?? 'changes'
  if (effect === 'reads') {
    const acting = effectOfVerb(first)
    if (named && acting && acting !== 'reads' && !NOUN_OR_VERB.has(first)) return acting
    if (takesAddress(tool)) return 'opens'
    return 'reads'
  }
  if ((effect === 'changes' || effect === 'sends') && name.some((word) => CONFIRM_WORDS.has(word))) return 'confirms'
  if ((effect === 'changes' || effect === 'sends') && name.some((word) => MONEY_WORDS.has(word))) return 'pays'
  return effect
}

function verbIn(name: readonly string[]): ToolEffect | null {
  const verbs = name.filter((word) => effectOfVerb(word) !== null)
  const [first, last] = [verbs[0], verbs.at(-1)]
  if (first === undefined || last === undefined) return null
  const clearlyReads = (word: string) => effectOfVerb(word) === 'reads' && !NOUN_OR_VERB.has(word)
  if (NOUN_OR_VERB.has(first) && clearlyReads(last)) return 'reads'
  // A name such as get_and_delete does both.
  const joined = name.findIndex((word) => word === 'and' || word === 'or')
  const second = joined < 0 ? undefined : name.slice(joined).find((word) => effectOfVerb(word) !== null)
  if (second !== undefined && effectOfVerb(first) === 'reads') return effectOfVerb(second)
  return effectOfVerb(first)
}

function effectOfVerb(word: string): ToolEffect | null {
  if (DESTROY_WORDS.has(word)) return 'destroys'
  if (PAY_WORDS.has(word)) return 'pays'
  if (SEND_WORDS.has(word)) return 'sends'
  if (READ_WORDS.has(word)) return 'reads'
  return CHANGE_WORDS.has(word) ? 'changes' : null
}

const ADDRESS_WORDS = new Set(stemsOf('url uri link href website webpage domain host hostname endpoint'))

function takesAddress(tool: GatedTool): boolean {
  const properties = (tool.parameters as { properties?: Record<string, unknown> } | null | undefined)?.properties
  return Object.entries(properties ?? {}).some(
    ([name, schema]) =>
      stemsOf(name).some((word) => ADDRESS_WORDS.has(word)) ||
      /^uri/.test(String((schema as { format?: unknown })?.format)),
  )
}

/** True for a tool that reads an address but says that a visit can also do something. */
export function visitActs(tool: GatedTool): boolean {
  return /\b(?:actions?|trigger\w*|click\w*|submit\w*|confirm\w*|perform\w*|post\w*)\b/i.test(tool.description ?? '')
}
