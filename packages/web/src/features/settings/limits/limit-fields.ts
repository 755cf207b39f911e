import type { Limits, LimitsPatch } from '../../../api/limits.ts'

/** One limit as a person reads and types it. */
export interface LimitField {
  /** As the server names it: `run.usd`. */
  readonly name: string
  readonly group: 'run' | 'daily'
  readonly key: string
  readonly label: string
  readonly unit: string
  readonly hint: string
  /** How many of the server's units one typed unit is. */
  readonly scale: number
  readonly whole: boolean
}

const MINUTE_MS = 60_000

export const LIMIT_FIELDS: readonly LimitField[] = [
  field('run', 'modelCalls', 'Model calls', 'calls', 'How often one run may ask the model.', { whole: true }),
  field('run', 'tokens', 'Tokens', 'tokens', 'What one run may read and write, together.', { whole: true }),
  field('run', 'usd', 'Cost', 'dollars', 'What one run may cost.'),
  field('run', 'wallMs', 'Time', 'minutes', 'How long one run may take, from start to end.', { scale: MINUTE_MS }),
  field('run', 'idleMs', 'Silence', 'minutes', 'How long one run may tell nothing before it counts as stuck.', {
    scale: MINUTE_MS,
  }),
  field(
    'run',
    'unknownPriceUsdPerMillionTokens',
    'Price when none is known',
    'dollars per million tokens',
    'What a model with no known price counts, so that limits in dollars hold for it too.',
  ),
  field('daily', 'agentUsd', 'Each Boo', 'dollars a day', 'A Boo’s own, smaller budget counts before this one.'),
  field('daily', 'teamUsd', 'Each team', 'dollars a day', 'All runs of its Boos together.'),
  field('daily', 'serverUsd', 'Everything together', 'dollars a day', 'All runs of this server.'),
]

function field(
  group: LimitField['group'],
  key: string,
  label: string,
  unit: string,
  hint: string,
  how: { readonly scale?: number; readonly whole?: boolean } = {},
): LimitField {
  return { name: `${group}.${key}`, group, key, label, unit, hint, scale: how.scale ?? 1, whole: how.whole ?? false }
}

/** What stands in the field. */
export function shownLimit(limits: Limits, { group, key, scale }: LimitField): string {
  const value = (limits[group] as Readonly<Record<string, number>>)[key]!
  return (value / scale).toLocaleString('en-US', { maximumFractionDigits: 4 })
}

/** What a person typed as a number the server takes; null when it is none. */
export function typedLimit(text: string, { scale, whole }: LimitField): number | null {
  // "2,5" is two and a half in half the world: only a comma between thousands is taken.
  const plain = /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/.test(text.trim()) ? text.replace(/[ ,]/g, '') : text.trim()
  const number = /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : 0
  if (!(number > 0)) return null
  const value = number * scale
  return whole || scale > 1 ? Math.round(value) : value
}

export interface TypedLimits {
  readonly patch: LimitsPatch
  readonly problems: Readonly<Record<string, string>>
}

/** What is to be sent: only what differs from before. */
export function readTyped(typed: Readonly<Record<string, string>>, limits: Limits): TypedLimits {
  const patch: { run: Record<string, number>; daily: Record<string, number> } = { run: {}, daily: {} }
  const problems: Record<string, string> = {}
  for (const field of LIMIT_FIELDS) {
    const text = typed[field.name]
    if (text === undefined || text === shownLimit(limits, field)) continue
    const value = typedLimit(text, field)
    if (value === null)
      problems[field.name] = `Write a number of ${field.unit} above 0, such as ${shownLimit(limits, field)}.`
    else patch[field.group][field.key] = value
  }
  const said = Object.entries(patch).filter(([, values]) => Object.keys(values).length > 0)
  return { patch: Object.fromEntries(said), problems }
}
