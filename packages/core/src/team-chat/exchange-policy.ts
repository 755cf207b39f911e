import { activeParticipants, type ExchangeState } from './exchange-state.ts'

/** What a team may set for its exchanges. */
export interface ExchangePolicy {
  /** The turn cap. */
  readonly maxTurns: number
}

export const MAX_TURNS = { least: 1, most: 50, default: 5 } as const

export const DEFAULT_EXCHANGE_POLICY: ExchangePolicy = { maxTurns: MAX_TURNS.default }

/** How many turns an exchange may have: the cap, and never more than two for each who may speak. */
export function turnBound(
  state: Pick<ExchangeState, 'participants' | 'skipped'>,
  { maxTurns }: ExchangePolicy = DEFAULT_EXCHANGE_POLICY,
): number {
  const cap = Number.isSafeInteger(maxTurns) ? maxTurns : MAX_TURNS.default
  const allowed = Math.min(MAX_TURNS.most, Math.max(MAX_TURNS.least, cap))
  return Math.min(allowed, 2 * activeParticipants(state).length)
}
