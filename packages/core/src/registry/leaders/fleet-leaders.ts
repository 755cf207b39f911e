import type { AgentRecord } from '../agent-record.ts'

/** Finds the default agent and Boo Zero among the live agents. A person never leads by default. */
export function fleetLeaders(live: readonly Pick<AgentRecord, 'id' | 'teamId' | 'isDefault' | 'participantKind'>[]): {
  readonly defaultId: string | null
  readonly booZeroId: string | null
} {
  const agents = live.filter((agent) => agent.participantKind === 'agent')
  const defaultId = agents.find((agent) => agent.isDefault)?.id ?? null
  return { defaultId, booZeroId: identifyBooZero(agents, defaultId) }
}

type Candidate = Pick<AgentRecord, 'id' | 'teamId'>

/**
 * Returns the universal team leader: the default agent when it is in the fleet, else the first agent without a team,
 * else the first agent. Derived on every read and never stored.
 */
export function identifyBooZero(fleet: readonly Candidate[], defaultId: string | null): string | null {
  const byDefault = defaultId === null ? undefined : fleet.find((agent) => agent.id === defaultId)
  const chosen = byDefault ?? fleet.find((agent) => agent.teamId === null) ?? fleet[0]
  return chosen?.id ?? null
}

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
