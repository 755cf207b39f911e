import { type AllowlistEntry, entryProblem } from './allowlist.ts'
import type { ExecAsk, ExecSecurity } from './exec-policy.ts'
import { DEFAULT_SAFE_BINS, isKnownSafeBin } from './safe-bins.ts'

/** The policy of a new agent without settings. */
export const DEFAULT_EXEC: { readonly security: ExecSecurity; readonly ask: ExecAsk } = {
  security: 'allowlist',
  ask: 'on-miss',
}

/** The rules about commands from one place. */
export interface ExecRules {
  /** The place in words, such as "this agent's settings". */
  readonly from: string
  readonly security?: ExecSecurity
  readonly ask?: ExecAsk
  readonly allowlist?: readonly AllowlistEntry[]
  readonly safeBins?: readonly string[]
}

/** The policy in force, with the origin of each part, as data for a page. */
export interface EffectiveExecPolicy {
  readonly security: ExecSecurity
  readonly ask: ExecAsk
  readonly allowlist: readonly AllowlistEntry[]
  readonly safeBins: readonly string[]
  readonly approverPresent: boolean
  /** Sentences with an effect and its origin. */
  readonly because: readonly string[]
  readonly warnings: readonly string[]
}

const SECURITY_ORDER: readonly ExecSecurity[] = ['full', 'allowlist', 'deny']
const ASK_ORDER: readonly ExecAsk[] = ['off', 'on-miss', 'always']

/** Takes the strictest rule of all places, or the default when there is none. */
export function effectiveExecPolicy(rules: readonly ExecRules[], approverPresent: boolean): EffectiveExecPolicy {
  const security = strictest(rules, 'security', SECURITY_ORDER, DEFAULT_EXEC.security)
  const ask = strictest(rules, 'ask', ASK_ORDER, DEFAULT_EXEC.ask)
  const entries = rules.flatMap(({ from, allowlist = [] }) => allowlist.map((entry) => ({ from, entry })))
  const safeBins = intersection(rules.flatMap((each) => (each.safeBins ? [each.safeBins] : []))) ?? [
    ...DEFAULT_SAFE_BINS,
  ]
  const warnings = [
    ...entries.flatMap(({ from, entry }) => {
      const problem = entryProblem(entry)
      return problem === null ? [] : [`${from} allows "${entry.pattern}": ${problem}`]
    }),
    ...safeBins
      .filter((name) => !isKnownSafeBin(name))
      .map((name) => `"${name}" cannot be a safe filter; it is ignored`),
  ]
  return {
    security: security.value,
    ask: ask.value,
    allowlist: entries.map(({ entry }) => entry),
    safeBins: safeBins.filter(isKnownSafeBin),
    approverPresent,
    because: [
      `${SECURITY_WORDS[security.value]}, because ${security.from}.`,
      `${askWords(security.value, ask.value, approverPresent)}, because ${ask.from}.`,
      ...(security.value === 'allowlist' ? [listWords(entries, safeBins.filter(isKnownSafeBin))] : []),
    ],
    warnings,
  }
}

const SECURITY_WORDS: Readonly<Record<ExecSecurity, string>> = {
  deny: 'No command runs',
  allowlist: 'Only commands run whose every part is on the allow-list',
  full: 'Every command may run',
}

function askWords(security: ExecSecurity, ask: ExecAsk, approverPresent: boolean): string {
  if (security === 'deny') return 'Nobody is asked, as nothing runs'
  if (ask === 'always')
    return approverPresent
      ? 'Every command is asked about'
      : 'Every command would be asked about and nobody is there, so none runs'
  if (security === 'full') return 'Nobody is asked'
  if (ask === 'off') return 'Everything else is refused without asking'
  return approverPresent
    ? 'Everything else is asked about'
    : 'Everything else would be asked about and nobody is there, so it is refused'
}

function listWords(entries: readonly { from: string; entry: AllowlistEntry }[], safeBins: readonly string[]): string {
  const listed = entries.map(({ from, entry }) => `${describeEntry(entry)} (${from})`)
  const filters = safeBins.length === 0 ? 'no filters' : `the filters ${safeBins.join(', ')} on their input alone`
  return `Allowed are ${filters}${listed.length === 0 ? '' : `; ${listed.join('; ')}`}.`
}

function describeEntry(entry: AllowlistEntry): string {
  const limits = [
    ...(entry.args === undefined ? [] : [`with exactly: ${entry.args.join(' ') || 'no arguments'}`]),
    ...(entry.argPattern === undefined ? [] : [`with arguments that fit ${entry.argPattern}`]),
  ]
  if (limits.length > 0 || entryProblem(entry) !== null) return [entry.pattern, ...limits].join(' ')
  return `${entry.pattern} with any arguments, so on the whole machine`
}

function strictest<K extends 'security' | 'ask', V extends string>(
  rules: readonly (ExecRules & { readonly [key in K]?: V })[],
  key: K,
  order: readonly V[],
  fallback: V,
): { readonly value: V; readonly from: string } {
  let winner: { readonly value: V; readonly from: string } | null = null
  for (const each of rules) {
    const value = each[key] as V | undefined
    if (value === undefined) continue
    if (winner === null || order.indexOf(value) > order.indexOf(winner.value))
      winner = { value, from: `${each.from} says so` }
  }
  return winner ?? { value: fallback, from: 'that is what a new agent has' }
}

function intersection(lists: readonly (readonly string[])[]): string[] | null {
  if (lists.length === 0) return null
  return lists[0]!.filter((name) => lists.every((list) => list.includes(name)))
}
