import type { Participant } from './exchange-state.ts'

/** Something is wrong with how a team was put together, and the exchange goes on all the same. */
export interface LeaderWarning {
  readonly code: 'two_leaders'
  readonly leaderId: string
  /** Named as leaders too, and taken for members. */
  readonly others: readonly string[]
}

/** The one who leads: the first that is named as a leader. */
export function leaderOf(participants: readonly Participant[]): {
  readonly leaderId: string | null
  readonly warning: LeaderWarning | null
} {
  const [leaderId, ...others] = participants.filter(({ isLeader }) => isLeader).map(({ agentId }) => agentId)
  if (leaderId === undefined) return { leaderId: null, warning: null }
  return { leaderId, warning: others.length === 0 ? null : { code: 'two_leaders', leaderId, others } }
}
