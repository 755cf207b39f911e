import { applyExchangeEvent } from './apply-exchange-event.ts'
import {
  activeParticipants,
  DEFAULT_EXCHANGE_POLICY,
  type DroppedWake,
  type ExchangePolicy,
  type ExchangeState,
  type ObligationReason,
  turnBound,
} from './exchange-state.ts'
import { nextStep, type SpeakStep } from './next-step.ts'

/** The effect of a message, before it is sent. */
export interface WakePreview {
  /** The agents that would run, in order, if none woke another. */
  readonly wakes: readonly PreviewedWake[]
  /** The mentioned agents that the message would not wake, with reasons. */
  readonly dropped: readonly DroppedWake[]
  /** The maximum number of turns, whatever the agents do. */
  readonly turnsAtMost: number
  /** The cost of `wakes`; null = unknown for one of them. */
  readonly estimatedUsd: number | null
  /** The cost of `turnsAtMost` turns of the most expensive participant; null = unknown for one of them. */
  readonly mostUsd: number | null
}

export interface PreviewedWake {
  readonly agentId: string
  /** `leader`: the agent leads, and no agent owes a turn at that time. */
  readonly because: ObligationReason | 'leader'
  readonly estimatedUsd: number | null
}

/** Simulates the exchange that the message would start or join. */
export function previewWake(options: {
  /** A new exchange, or the running one. */
  readonly state: ExchangeState
  readonly mentions: readonly string[]
  readonly skip: readonly string[]
  readonly policy?: ExchangePolicy
  /** The average cost of each agent's turns; null or absent = unknown. */
  readonly averageUsd: ReadonlyMap<string, number | null>
}): WakePreview {
  const { mentions, skip, policy = DEFAULT_EXCHANGE_POLICY, averageUsd } = options
  const chainId = unusedName(options.state.chains.map(({ id }) => id))
  const message = { type: 'message', postId: 'preview', chainId, mentions, skip } as const
  const { state, dropped } = applyExchangeEvent(options.state, message)
  const priceOf = (agentId: string) => {
    const price = averageUsd.get(agentId) ?? null
    return price !== null && Number.isFinite(price) && price >= 0 ? price : null
  }
  const wakes = simulate(state, policy).map(({ agentId, obligations }) => {
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

/** The turns that follow if no turn wakes an agent. */
function simulate(initial: ExchangeState, policy: ExchangePolicy): readonly SpeakStep[] {
  const steps: SpeakStep[] = []
  const used = initial.turns.map(({ id }) => id)
  let state = initial
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
