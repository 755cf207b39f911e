/** What people change about how a Boo runs. Everything else in its configuration stays as it is. */
export interface RunChoices {
  /** Empty = the server's default. */
  readonly model: string
  readonly commands: CommandPolicy
  /** Dollars a day; empty = the server's. */
  readonly budget: string
}

/** `usual` = nothing is said, which means the allow-list. */
export type CommandPolicy = 'usual' | 'deny' | 'allowlist' | 'full'

type Config = Readonly<Record<string, unknown>>

export function readChoices(execConfig: unknown): RunChoices {
  const { model, budgetUsd, exec } = asConfig(execConfig)
  const { security } = asConfig(exec)
  return {
    model: typeof model === 'string' ? model : '',
    commands: security === 'deny' || security === 'allowlist' || security === 'full' ? security : 'usual',
    budget: typeof budgetUsd === 'number' ? String(budgetUsd) : '',
  }
}

/** What was changed here and not saved. */
export type TouchedChoices = Partial<RunChoices>

/** What the form shows: what was touched here, and for the rest what the server has. */
export function shownChoices(execConfig: unknown, touched: TouchedChoices): RunChoices {
  return { ...readChoices(execConfig), ...touched }
}

/** What was touched and differs from what the server has. */
export function unsavedChoices(execConfig: unknown, touched: TouchedChoices): TouchedChoices {
  const saved = readChoices(execConfig)
  const differs = Object.entries(touched).filter(([name, value]) => value !== saved[name as keyof RunChoices])
  return Object.fromEntries(differs)
}

/** What is still unsaved once `sent` is: what was typed on meanwhile. */
export function stillTouched(touched: TouchedChoices, sent: TouchedChoices): TouchedChoices {
  const left = Object.entries(touched).filter(([name, value]) => value !== sent[name as keyof RunChoices])
  return Object.fromEntries(left)
}

/** The whole configuration with these choices in it. What was not touched stays as whoever wrote it left it. */
export function withChoices(execConfig: unknown, touched: TouchedChoices): Config | null {
  const { model: _model, budgetUsd: _budget, exec, ...rest } = asConfig(execConfig)
  const { model, commands, budget } = shownChoices(execConfig, touched)
  const { security: _security, ...execRest } = asConfig(exec)
  const nextExec = commands === 'usual' ? execRest : { ...execRest, security: commands }
  const budgetUsd = dollarsOf(budget)
  const next = {
    ...rest,
    ...(model === '' ? {} : { model }),
    ...(budgetUsd === null ? {} : { budgetUsd }),
    ...(Object.keys(nextExec).length === 0 ? {} : { exec: nextExec }),
  }
  return Object.keys(next).length === 0 ? null : next
}

const MOST_USD = 100_000

/** Why a budget cannot be taken; null = it can. */
export function budgetProblem(budget: string): string | null {
  const text = budget.trim()
  if (text === '') return null
  if (/^\d{1,3}(,\d{1,2})$/.test(text)) return `Write it with a point, such as ${text.replace(',', '.')}.`
  const usd = dollarsOf(budget)
  if (usd === null) return 'Write a number of dollars, such as 2.50, or leave it empty.'
  if (usd <= 0) return 'Must be above 0. Empty means the limit set in Settings.'
  return usd > MOST_USD ? `Must be at most ${MOST_USD.toLocaleString('en-GB')} dollars.` : null
}

/** Only digits, with commas between thousands and one point: what `Number` takes besides is no sum of money. */
function dollarsOf(budget: string): number | null {
  const text = budget.trim().replace(/^\$\s*/, '')
  const plain = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(text) ? text.replaceAll(',', '') : text
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null
}

function asConfig(value: unknown): Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {}
}
