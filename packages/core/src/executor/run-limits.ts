import type { LimitTripped } from './run-guard.ts'

/** The limits of one run. All are on by default. */
export interface RunLimits {
  readonly modelCalls: number
  readonly tokens: number
  readonly usd: number
  readonly wallMs: number
  /** The maximum time without any event. */
  readonly idleMs: number
  /** The assumed price of a call with an unknown price, in dollars per million tokens. */
  readonly unknownPriceUsdPerMillionTokens: number
}

export const DEFAULT_RUN_LIMITS: RunLimits = {
  modelCalls: 100,
  tokens: 4_000_000,
  usd: 5,
  wallMs: 2 * 60 * 60_000,
  idleMs: 10 * 60_000,
  unknownPriceUsdPerMillionTokens: 15,
}

/** Dollars per UTC day, for all runs of a scope together. */
export interface DailyBudgets {
  readonly agentUsd: number
  readonly teamUsd: number
  readonly serverUsd: number
}

export const DEFAULT_DAILY_BUDGETS: DailyBudgets = { agentUsd: 10, teamUsd: 30, serverUsd: 50 }

export interface RunSpend {
  readonly modelCalls: number
  readonly tokens: number
  readonly usd: number
}

/** A reached limit is tripped, because the next call would exceed it. A figure that is not a number trips it too. */
export function trippedRunLimit(limits: RunLimits, spend: RunSpend): LimitTripped | null {
  const checks = [
    ['model_calls_limit', spend.modelCalls, limits.modelCalls],
    ['tokens_limit', spend.tokens, limits.tokens],
    ['usd_limit', spend.usd, limits.usd],
  ] as const
  for (const [reason, figure, cap] of checks) {
    if (!(figure < cap)) return { reason, scope: 'run', figure, cap }
  }
  return null
}

export interface DailySpend {
  readonly agentUsd: number
  readonly teamUsd: number | null
  readonly serverUsd: number
}

export function trippedBudget(budgets: DailyBudgets, spend: DailySpend): LimitTripped | null {
  const checks = [
    ['agent', spend.agentUsd, budgets.agentUsd],
    ['team', spend.teamUsd ?? 0, spend.teamUsd === null ? Number.POSITIVE_INFINITY : budgets.teamUsd],
    ['server', spend.serverUsd, budgets.serverUsd],
  ] as const
  for (const [scope, figure, cap] of checks) {
    if (!(figure < cap)) return { reason: 'usd_limit', scope, figure, cap }
  }
  return null
}

/** The dollars that a call counts: its price, or the assumed price when it is unknown. */
export function countedUsd(
  cost: { readonly costUsd: number | null; readonly inputTokens: number; readonly outputTokens: number },
  unknownPriceUsdPerMillionTokens: number,
): number {
  return cost.costUsd ?? ((cost.inputTokens + cost.outputTokens) * unknownPriceUsdPerMillionTokens) / 1_000_000
}
