/** The two settings of every runtime. A runtime can declare more. */
export const MODEL = 'model'
export const BUDGET = 'budgetUsd'

/** Unsaved changes by their path in the configuration; a dot separates levels. Empty = not set. */
export type TouchedChoices = Readonly<Record<string, string>>

type Config = Readonly<Record<string, unknown>>

/** The displayed value: the changed one, or else the stored one. */
export function shownChoice(execConfig: unknown, touched: TouchedChoices, key: string): string {
  return touched[key] ?? savedChoice(execConfig, key)
}

/** The changed values that differ from the stored ones. */
export function unsavedChoices(execConfig: unknown, touched: TouchedChoices): TouchedChoices {
  const differs = Object.entries(touched).filter(([key, value]) => value !== savedChoice(execConfig, key))
  return Object.fromEntries(differs)
}

/** The values typed while `sent` was being saved. */
export function stillTouched(touched: TouchedChoices, sent: TouchedChoices): TouchedChoices {
  return Object.fromEntries(Object.entries(touched).filter(([key, value]) => value !== sent[key]))
}

/** The whole configuration with these choices. Untouched values stay as they are stored. */
export function withChoices(execConfig: unknown, touched: TouchedChoices): Config | null {
  const next = Object.entries(touched).reduce(
    (config, [key, text]) => put(config, key.split('.'), key === BUDGET ? dollarsOf(text) : text || null),
    asConfig(execConfig),
  )
  return Object.keys(next).length === 0 ? null : next
}

function savedChoice(execConfig: unknown, key: string): string {
  const value = key.split('.').reduce<unknown>((config, part) => asConfig(config)[part], execConfig)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** null removes the value, and then any parent that is empty. */
function put(config: Config, [part = '', ...rest]: readonly string[], value: unknown): Config {
  const inner = rest.length === 0 ? value : put(asConfig(config[part]), rest, value)
  const isNothing = inner === null || (rest.length > 0 && Object.keys(inner as Config).length === 0)
  const { [part]: _, ...others } = config
  return isNothing ? others : { ...others, [part]: inner }
}

const MOST_USD = 100_000

/** Why a budget is not valid; null = it is. */
export function budgetProblem(budget: string): string | null {
  const text = budget.trim()
  if (text === '') return null
  if (/^\d{1,3}(,\d{1,2})$/.test(text)) return `Use a point, such as ${text.replace(',', '.')}.`
  const usd = dollarsOf(budget)
  if (usd === null) return 'Enter dollars, such as 2.50, or leave it empty.'
  if (usd <= 0) return 'Must be above 0. Empty uses the limit in Settings.'
  return usd > MOST_USD ? `Must be at most ${MOST_USD.toLocaleString('en-GB')} dollars.` : null
}

/** Accepts only digits with commas between thousands and one point, because `Number` also accepts other notations. */
function dollarsOf(budget: string): number | null {
  const text = budget.trim().replace(/^\$\s*/, '')
  const plain = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(text) ? text.replaceAll(',', '') : text
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null
}

function asConfig(value: unknown): Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {}
}
