import type { Limits, LimitsPatch } from '../../../api/limits.ts'

/** One limit as a person reads and types it. */
export interface LimitField {
  /** The server's name of the limit, such as `run.usd`. */
  readonly name: string
  readonly group: 'run' | 'daily'
  readonly key: string
  readonly label: string
  readonly unit: string
  readonly hint: string
  /** The server's units per typed unit. */
  readonly scale: number
  readonly whole: boolean
  /** The range that the server accepts, in its units; without `least`, anything above 0. */
  readonly least: number | null
  readonly most: number
}

const MINUTE_MS = 60_000
const SECOND_MS = 1_000
const DAY_MS = 24 * 60 * MINUTE_MS

export const LIMIT_FIELDS: readonly LimitField[] = [
  counted('modelCalls', 'Model calls', 'calls', 'The most model calls in one run.', 100_000),
  counted('tokens', 'Tokens', 'tokens', 'The most tokens in one run, read and written.', 1_000_000_000),
  dollars('run', 'usd', 'Cost', 'dollars', 'The most that one run may cost.'),
  minutes('wallMs', 'Time', 'The longest that one run may take.', 7 * DAY_MS),
  minutes('idleMs', 'Silence', 'Minutes without output before a run counts as stuck.', DAY_MS),
  dollars(
    'run',
    'unknownPriceUsdPerMillionTokens',
    'Price when none is known',
    'dollars per million tokens',
    'The price assumed for a model without a known price, so that dollar limits apply to it.',
  ),
  dollars('daily', 'agentUsd', 'Each Boo', 'dollars a day', 'A smaller budget of the Boo itself applies first.'),
  dollars('daily', 'teamUsd', 'Each team', 'dollars a day', 'All runs of its Boos together.'),
  dollars('daily', 'serverUsd', 'Whole server', 'dollars a day', 'All runs of this server.'),
]

function counted(key: string, label: string, unit: string, hint: string, most: number): LimitField {
  return { ...named('run', key), label, unit, hint, scale: 1, whole: true, least: 1, most }
}

function minutes(key: string, label: string, hint: string, most: number): LimitField {
  return { ...named('run', key), label, unit: 'minutes', hint, scale: MINUTE_MS, whole: false, least: SECOND_MS, most }
}

function dollars(group: LimitField['group'], key: string, label: string, unit: string, hint: string): LimitField {
  const most = group === 'daily' ? 1_000_000 : 100_000
  return { ...named(group, key), label, unit, hint, scale: 1, whole: false, least: null, most }
}

function named(group: LimitField['group'], key: string) {
  return { name: `${group}.${key}`, group, key }
}

/** The text of the field. */
export function shownLimit(limits: Limits, { group, key, scale }: LimitField): string {
  return figure((limits[group] as Readonly<Record<string, number>>)[key]! / scale, scale)
}

/** The typed value as a number the server accepts, or its problem. */
export function typedLimit(
  text: string,
  field: LimitField,
  example: string,
): { readonly value: number } | { readonly problem: string } {
  const { unit, scale, whole, least, most } = field
  const typed = text.trim()
  if (typed === '') return { problem: `Enter a number of ${unit}, such as ${example}. A limit is required.` }
  // "2,5" means two and a half in many countries, so a comma is accepted only between thousands.
  const plain = /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/.test(typed) ? typed.replace(/[ ,]/g, '') : typed
  if (/^\d+,\d{1,2}$/.test(typed)) return { problem: `Use a point, such as ${typed.replace(',', '.')}.` }
  if (/^[-−]/.test(typed) || /^0*(\.0*)?$/.test(plain)) return { problem: `Must be above 0, such as ${example}.` }
  if (!/^\d*\.?\d+$/.test(plain)) return { problem: `Enter a number of ${unit}, such as ${example}.` }
  const number = Number(plain)
  if (whole && !Number.isInteger(number)) return { problem: `Must be a whole number of ${unit}.` }
  if (number * scale > most) return { problem: `Must be at most ${figure(most / scale, scale)} ${unit}.` }
  // Milliseconds are whole numbers; half a minute is not.
  const value = scale > 1 ? Math.round(number * scale) : number
  if (least !== null && value < least)
    return { problem: `Must be at least ${figure(roundedUp(least / scale), scale)} ${unit}.` }
  return { value }
}

/** Rounds up to three places, because the displayed minimum must itself be accepted. */
function roundedUp(value: number): number {
  return Math.ceil(value * 1_000) / 1_000
}

function figure(value: number, scale: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: scale > 1 ? 4 : 12 })
}

export interface TypedLimits {
  readonly patch: LimitsPatch
  readonly problems: Readonly<Record<string, string>>
}

/** The changed values only. */
export function readTyped(typed: Readonly<Record<string, string>>, limits: Limits): TypedLimits {
  const patch: { run: Record<string, number>; daily: Record<string, number> } = { run: {}, daily: {} }
  const problems: Record<string, string> = {}
  for (const field of LIMIT_FIELDS) {
    const text = typed[field.name]
    if (text === undefined || text === shownLimit(limits, field)) continue
    const read = typedLimit(text, field, shownLimit(limits, field))
    if ('problem' in read) problems[field.name] = read.problem
    else patch[field.group][field.key] = read.value
  }
  const changed = Object.entries(patch).filter(([, values]) => Object.keys(values).length > 0)
  return { patch: Object.fromEntries(changed), problems }
}
