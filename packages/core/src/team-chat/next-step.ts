import { DEFAULT_EXCHANGE_POLICY, type ExchangePolicy, turnBound } from './exchange-policy.ts'
import { activeParticipants, type Chain, type ExchangeState, type Obligation } from './exchange-state.ts'
import type { LeaderWarning } from './leader-of.ts'
import { type SpeakerChoice, type SpeakerPolicy, type SpeakerView, selectSpeaker } from './select-speaker.ts'

export type NextStep = SpeakStep | EndStep

export interface SpeakStep {
  readonly step: 'speak'
  readonly agentId: string
  readonly because: 'obligation' | 'leader'
  /** What this turn answers; none when the leader is only nominated. */
  readonly obligations: readonly Obligation[]
  /** The chain and hops that its posts have. */
  readonly chainId: string
  readonly hops: number
  /** Its number in the exchange, from 1 on. */
  readonly turn: number
  readonly bound: number
  readonly warning: LeaderWarning | null
}

export interface EndStep {
  readonly step: 'end'
  readonly reason: EndReason
  /** What is left undone. */
  readonly pending: readonly Obligation[]
  readonly turns: number
  readonly bound: number
}

export const END_REASONS = ['aborted', 'budget_paused', 'no_pending_obligation', 'max_turns'] as const

export type EndReason = (typeof END_REASONS)[number]

/**
 * The next turn of an exchange, or its end. Every bound is looked at before a speaker is chosen, so no policy can get
 * past one. Where several reasons hold, the end names the first of END_REASONS; `max_turns` means that somebody still
 * owes a turn.
 */
export function nextStep(
  state: ExchangeState,
  policy: ExchangePolicy = DEFAULT_EXCHANGE_POLICY,
  select: SpeakerPolicy = selectSpeaker,
): NextStep {
  const { obligations: pending, turns, halted } = state
  const bound = turnBound(state, policy)
  const end = (reason: EndReason): EndStep => ({ step: 'end', reason, pending, turns: turns.length, bound })
  if (halted !== null) return end(halted)
  if (turns.length >= bound) return end(pending.length > 0 ? 'max_turns' : 'no_pending_obligation')
  const view: SpeakerView = {
    participants: activeParticipants(state),
    owed: pending.map(({ agentId }) => agentId),
    spoken: turns.map(({ agentId }) => agentId),
  }
  const { agentId, because, warning } = choose(view, select)
  if (agentId === null || because === 'nobody') return end('no_pending_obligation')
  const owed = pending.filter((obligation) => obligation.agentId === agentId)
  // A turn that answers several chains goes on with the one that has waited longest.
  const place = owed[0] ?? floorOf(state)
  if (place === null) return end('no_pending_obligation')
  const { chainId, hops } = place
  return { step: 'speak', agentId, because, obligations: owed, chainId, hops, turn: turns.length + 1, bound, warning }
}

/** A choice that the default could not have come to in kind is not followed. */
function choose(view: SpeakerView, select: SpeakerPolicy): SpeakerChoice {
  const usual = selectSpeaker(view)
  if (select === selectSpeaker) return usual
  const chosen = select(view)
  const isSound =
    usual.because === 'obligation'
      ? chosen.agentId !== null && view.owed.includes(chosen.agentId)
      : chosen.agentId === null || chosen.agentId === usual.agentId
  if (!isSound) return usual
  return { ...usual, agentId: chosen.agentId, because: chosen.agentId === null ? 'nobody' : usual.because }
}

/** Where a nominated leader goes on: a living chain of a message or of a turn, the last turn's before the newest. */
function floorOf(state: ExchangeState): { readonly chainId: string; readonly hops: number } | null {
  const isOpen = ({ id, ended, begunBy }: Chain) =>
    ended === null && (begunBy === 'message' || state.turns.some(({ chainId }) => chainId === id))
  const open = state.chains.filter(isOpen)
  const lastChainId = state.turns.at(-1)?.chainId
  const chain = open.find(({ id }) => id === lastChainId) ?? open.at(-1)
  return chain ? { chainId: chain.id, hops: chain.hops } : null
}
