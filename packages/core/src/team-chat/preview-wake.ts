import { applyExchangeEvent } from './apply-exchange-event.ts'
import type { DroppedWake } from './exchange-event.ts'
import { DEFAULT_EXCHANGE_POLICY, type ExchangePolicy, turnBound } from './exchange-policy.ts'
import { activeParticipants, type ExchangeState, type ObligationReason } from './exchange-state.ts'
import { nextStep, type SpeakStep } from './next-step.ts'

/** What a message would set going, before it is sent. */
export interface WakePreview {
  /** Who would run, in order, if nobody woke anybody else. */
  readonly wakes: readonly PreviewedWake[]
  /** Who was picked and would not run because of it, and why. */
  readonly dropped: readonly DroppedWake[]
  /** How many turns it could come to at most, whatever the agents say. */
  readonly turnsAtMost: number
  /** What `wakes` would cost; null = not known of one of them. */
  readonly estimatedUsd: number | null
  /** What `turnsAtMost` turns of the dearest participant would cost; null = not known of one of them. */
  readonly mostUsd: number | null
}

export interface PreviewedWake {
  readonly agentId: string
  /** `leader`: it leads, and nobody owes a turn then. */
  readonly because: ObligationReason | 'leader'
  readonly estimatedUsd: number | null
}

/** The preview is played through the very exchange that the message would begin, or join. */
export function previewWake(given: {
  /** A new exchange, or the one that is under way. */
  readonly state: ExchangeState
  readonly mentions: readonly string[]
  readonly skip: readonly string[]
  readonly policy?: ExchangePolicy
  /** What a turn of an agent has cost on average; null or absent = not known. */
  readonly averageUsd: ReadonlyMap<string, number | null>
}): WakePreview {
  const { mentions, skip, policy = DEFAULT_EXCHANGE_POLICY, averageUsd } = given
  const chainId = unusedName(given.state.chains.map(({ id }) => id))
  const message = { type: 'message', postId: 'preview', chainId, mentions, skip } as const
  const { state, dropped } = applyExchangeEvent(given.state, message)
  const priceOf = (agentId: string) => {
    const price = averageUsd.get(agentId) ?? null
    return price !== null && Number.isFinite(price) && price >= 0 ? price : null
  }
  const wakes = playThrough(state, policy).map(({ agentId, obligations }) => {
    const because = obligations[0]?.because ?? ('leader' as const)
    return { agentId, because, estimatedUsd: priceOf(agentId) }
  })
  const turnsAtMost = wakes.length === 0 ? 0 : Math.max(0, turnBound(state, policy) - state.turns.length)
  const dearest = highest(activeParticipants(state).map(({ agentId }) => priceOf(agentId)))
  return {
    wakes,
    dropped,
    turnsAtMost,
    estimatedUsd: sum(wakes.map(({ estimatedUsd }) => estimatedUsd)),
    mostUsd: turnsAtMost === 0 ? 0 : dearest === null ? null : dearest * turnsAtMost,
  }
}

/** The turns that follow when every one of them says nothing to anybody. */
function playThrough(begun: ExchangeState, policy: ExchangePolicy): readonly SpeakStep[] {
  const steps: SpeakStep[] = []
  const used = begun.turns.map(({ id }) => id)
  let state = begun
  for (let step = nextStep(state, policy); step.step === 'speak'; step = nextStep(state, policy)) {
    steps.push(step)
    const { agentId, chainId, hops, obligations } = step
    const turnId = unusedName(used)
    used.push(turnId)
    const answers = obligations.map(({ id }) => id)
    state = applyExchangeEvent(state, { type: 'turn', turnId, agentId, chainId, hops, answers, posts: [] }).state
  }
  return steps
}

function unusedName(used: readonly string[]): string {
  let n = used.length
  while (used.includes(`preview-${n}`)) n += 1
  return `preview-${n}`
}

function sum(prices: readonly (number | null)[]): number | null {
  return prices.reduce((total, price) => (total === null || price === null ? null : total + price), 0 as number | null)
}

function highest(prices: readonly (number | null)[]): number | null {
  return prices.some((price) => price === null) ? null : Math.max(0, ...prices.map((price) => price ?? 0))
}
