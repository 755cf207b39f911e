import type { Participant } from './exchange-state.ts'

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
  /** null = nobody. */
  readonly agentId: string | null
  readonly because: 'obligation' | 'leader' | 'nobody'
  readonly warning: LeaderWarning | null
}

/** Chooses the next speaker among the agents that owe a turn; if none does, the leader or nobody. */
export type SpeakerPolicy = (view: SpeakerView) => SpeakerChoice

/**
 * The default policy. Among the agents that owe a turn, it chooses the one with the fewest turns, then by agent id; the
 * last speaker only if no other agent owes one. If nobody owes a turn, it chooses the leader, unless the leader spoke last.
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
