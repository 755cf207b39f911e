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

/** The whole configuration with these choices in it. A choice that was not touched stays as whoever wrote it left it. */
export function withChoices(execConfig: unknown, before: RunChoices, now: RunChoices): Config | null {
  const { model: _model, budgetUsd: _budget, exec, ...rest } = asConfig(execConfig)
  const current = readChoices(execConfig)
  const pick = <K extends keyof RunChoices>(name: K) => (now[name] === before[name] ? current[name] : now[name])
  const { security: _security, ...execRest } = asConfig(exec)
  const commands = pick('commands')
  const nextExec = commands === 'usual' ? execRest : { ...execRest, security: commands }
  const model = pick('model')
  const budget = pick('budget').trim()
  const next = {
    ...rest,
    ...(model === '' ? {} : { model }),
    ...(budget === '' ? {} : { budgetUsd: Number(budget) }),
    ...(Object.keys(nextExec).length === 0 ? {} : { exec: nextExec }),
  }
  return Object.keys(next).length === 0 ? null : next
}

/** Why a budget cannot be taken; null = it can. */
export function budgetProblem(budget: string): string | null {
  if (budget.trim() === '') return null
  const usd = Number(budget)
  if (!Number.isFinite(usd) || usd <= 0) return 'Must be a number of dollars above 0, such as 2.50.'
  return usd > 100_000 ? 'Must be at most 100,000 dollars.' : null
}

function asConfig(value: unknown): Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {}
}
