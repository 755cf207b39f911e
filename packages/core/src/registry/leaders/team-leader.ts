import type { AgentRecord } from '../agent-record.ts'

/**
 * Finds the leader of a team: Boo Zero when it exists, else the team's own lead if it is a member, else the first
 * member, else null.
 */
export function resolveTeamLeader(team: {
  readonly booZeroId: string | null
  readonly leadAgentId: string | null
  readonly members: readonly Pick<AgentRecord, 'id'>[]
}): string | null {
  if (team.booZeroId !== null) return team.booZeroId
  const lead = team.members.find((member) => member.id === team.leadAgentId)
  return (lead ?? team.members[0])?.id ?? null
}
