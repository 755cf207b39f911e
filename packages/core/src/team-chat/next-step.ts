import {
  activeParticipants,
  type Chain,
  DEFAULT_EXCHANGE_POLICY,
  type ExchangePolicy,
  type ExchangeState,
  type Obligation,
  turnBound,
} from './exchange-state.ts'
import {
  type LeaderWarning,
  type SpeakerChoice,
  type SpeakerPolicy,
  type SpeakerView,
  selectSpeaker,
} from './select-speaker.ts'

export type NextStep = SpeakStep | EndStep

export interface SpeakStep {
  readonly step: 'speak'
  readonly agentId: string
  readonly because: 'obligation' | 'leader'
  /** The obligations that the turn fulfils; none when the leader is nominated. */
  readonly obligations: readonly Obligation[]
  /** The chain and hops of the turn's posts. */
  readonly chainId: string
  readonly hops: number
  /** The turn's number in the exchange, from 1. */
  readonly turn: number
  readonly bound: number
  readonly warning: LeaderWarning | null
}

export interface EndStep {
  readonly step: 'end'
  readonly reason: EndReason
  /** The obligations that remain. */
  readonly pending: readonly Obligation[]
  readonly turns: number
  readonly bound: number
}

export const END_REASONS = ['aborted', 'budget_paused', 'no_pending_obligation', 'max_turns'] as const

export type EndReason = (typeof END_REASONS)[number]

/**
 * The next turn of an exchange, or its end. Every bound is checked before a speaker is chosen, so no policy can bypass
 * one. If several end reasons apply, the first of END_REASONS counts; `max_turns` means that an agent still owes a turn.
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
  // A turn that answers several chains continues the oldest one.
  const place = owed[0] ?? floorOf(state)
  if (place === null) return end('no_pending_obligation')
  const { chainId, hops } = place
  return { step: 'speak', agentId, because, obligations: owed, chainId, hops, turn: turns.length + 1, bound, warning }
}

/** Ignores a choice that the rules do not allow, and uses the default instead. */
function choose(view: SpeakerView, select: SpeakerPolicy): SpeakerChoice {
  const standard = selectSpeaker(view)
  if (select === selectSpeaker) return standard
  const chosen = select(view)
  const isSound =
    standard.because === 'obligation'
      ? chosen.agentId !== null && view.owed.includes(chosen.agentId)
      : chosen.agentId === null || chosen.agentId === standard.agentId
  if (!isSound) return standard
  return { ...standard, agentId: chosen.agentId, because: chosen.agentId === null ? 'nobody' : standard.because }
}

/** The chain that a nominated leader continues: the last turn's if it is open, else the newest open one with a message or a turn. */
function floorOf(state: ExchangeState): { readonly chainId: string; readonly hops: number } | null {
  const isOpen = ({ id, ended, begunBy }: Chain) =>
    ended === null && (begunBy === 'message' || state.turns.some(({ chainId }) => chainId === id))
  const open = state.chains.filter(isOpen)
  const lastChainId = state.turns.at(-1)?.chainId
  const chain = open.find(({ id }) => id === lastChainId) ?? open.at(-1)
  return chain ? { chainId: chain.id, hops: chain.hops } : null
}
