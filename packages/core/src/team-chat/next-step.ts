import {
  activeParticipants,
  type Chain,
  DEFAULT_EXCHANGE_POLICY,
  type ExchangePolicy,
  type ExchangeState,
  type Obligation,
  type Participant,
  turnBound,
} from './exchange-state.ts'

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

/**
 * The chain that a nominated leader continues: the last turn's if open, else the newest open one that has a turn or
 * began with a message.
 */
function floorOf(state: ExchangeState): { readonly chainId: string; readonly hops: number } | null {
  const isOpen = ({ id, ended, begunBy }: Chain) =>
    ended === null && (begunBy === 'message' || state.turns.some(({ chainId }) => chainId === id))
  const open = state.chains.filter(isOpen)
  const lastChainId = state.turns.at(-1)?.chainId
  const chain = open.find(({ id }) => id === lastChainId) ?? open.at(-1)
  return chain ? { chainId: chain.id, hops: chain.hops } : null
}

/** Everything that the choice of the next speaker may depend on. */
export interface SpeakerView {
  /** The agents that may have a turn. */
  readonly participants: readonly Participant[]
  /** Participants that owe a turn. */
  readonly owed: readonly string[]
  /** The speaker of each turn of this exchange, in order. */
  readonly spoken: readonly string[]
}

export interface SpeakerChoice {
  /** null = no agent. */
  readonly agentId: string | null
  readonly because: 'obligation' | 'leader' | 'nobody'
  readonly warning: LeaderWarning | null
}

/** Chooses the next speaker among the agents that owe a turn. If none does, chooses the leader or no agent. */
export type SpeakerPolicy = (view: SpeakerView) => SpeakerChoice

/**
 * The default policy. Among the agents that owe a turn, it chooses the one with the fewest turns, then by agent id; the
 * last speaker only if no other agent owes one. If none owes one, it chooses the leader, unless the leader spoke last.
 */
export const selectSpeaker: SpeakerPolicy = ({ participants, owed, spoken }) => {
  const { leaderId, warning } = leaderOf(participants)
  const last = spoken.at(-1)
  const members = new Set(participants.map(({ agentId }) => agentId))
  const owing = [...new Set(owed)].filter((agentId) => members.has(agentId))
  const next = (owing.length > 1 ? owing.filter((agentId) => agentId !== last) : owing)
    .map((agentId) => ({ agentId, turns: spoken.filter((speaker) => speaker === agentId).length }))
    // By code units, which is the same on every machine.
    .toSorted((a, b) => a.turns - b.turns || (a.agentId < b.agentId ? -1 : 1))[0]
  if (next) return { agentId: next.agentId, because: 'obligation', warning }
  if (leaderId !== null && leaderId !== last) return { agentId: leaderId, because: 'leader', warning }
  return { agentId: null, because: 'nobody', warning }
}

/** A mistake in the team's setup. The exchange continues. */
export interface LeaderWarning {
  readonly code: 'two_leaders'
  readonly leaderId: string
  /** The other agents marked as leaders, which count as members. */
  readonly others: readonly string[]
}

/** The leader: the first participant that is marked as one. */
export function leaderOf(participants: readonly Participant[]): {
  readonly leaderId: string | null
  readonly warning: LeaderWarning | null
} {
  const [leaderId, ...others] = participants.filter(({ isLeader }) => isLeader).map(({ agentId }) => agentId)
  if (leaderId === undefined) return { leaderId: null, warning: null }
  return { leaderId, warning: others.length === 0 ? null : { code: 'two_leaders', leaderId, others } }
}
