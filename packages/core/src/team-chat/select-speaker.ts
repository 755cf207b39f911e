import type { Participant } from './exchange-state.ts'
import { type LeaderWarning, leaderOf } from './leader-of.ts'

/** All that the choice of the next speaker may depend on. */
export interface SpeakerView {
  /** Those who may speak. */
  readonly participants: readonly Participant[]
  /** Participants that owe a turn. */
  readonly owed: readonly string[]
  /** Who has spoken in this exchange, once for every turn, the last one last. */
  readonly spoken: readonly string[]
}

export interface SpeakerChoice {
  /** null = nobody. */
  readonly agentId: string | null
  readonly because: 'obligation' | 'leader' | 'nobody'
  readonly warning: LeaderWarning | null
}

/** A way to choose who speaks next. It chooses among those who owe a turn, else the leader or nobody. */
export type SpeakerPolicy = (view: SpeakerView) => SpeakerChoice

/**
 * Who speaks next. Of those who owe a turn, the one with the fewest turns, ties by agent id, and the last speaker only
 * when nobody else owes one. With nothing owed, the leader, unless it just spoke. Else nobody.
 */
export const selectSpeaker: SpeakerPolicy = ({ participants, owed, spoken }) => {
  const { leaderId, warning } = leaderOf(participants)
  const last = spoken.at(-1)
  const members = new Set(participants.map(({ agentId }) => agentId))
  const owing = [...new Set(owed)].filter((agentId) => members.has(agentId))
  const next = (owing.length > 1 ? owing.filter((agentId) => agentId !== last) : owing)
    .map((agentId) => ({ agentId, turns: spoken.filter((speaker) => speaker === agentId).length }))
    // By code units: the same on every machine, whatever its language.
    .toSorted((a, b) => a.turns - b.turns || (a.agentId < b.agentId ? -1 : 1))[0]
  if (next) return { agentId: next.agentId, because: 'obligation', warning }
  if (leaderId !== null && leaderId !== last) return { agentId: leaderId, because: 'leader', warning }
  return { agentId: null, because: 'nobody', warning }
}
