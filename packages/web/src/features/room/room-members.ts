import { resolveTeamLeader } from '@clawboo/core/registry'
import type { Agent, Fleet } from '../../api/fleet.ts'
import type { Team } from '../../api/teams.ts'

/** The members of a room, and a lookup for every name. */
export interface RoomMembers {
  /** The team's Boos by name, the leader first, even if it is in no team. */
  readonly boos: readonly Agent[]
  readonly people: readonly Agent[]
  readonly leaderId: string | null
  readonly agent: (id: string) => Agent | undefined
  /** A name for any id, even of a deleted member. */
  readonly nameOf: (id: string) => string
}

export function roomMembers(team: Team, fleet: Fleet): RoomMembers {
  const byId = new Map(fleet.agents.map((agent) => [agent.id, agent]))
  const members = fleet.agents.filter((agent) => agent.teamId === team.id)
  const leads = resolveTeamLeader({ booZeroId: fleet.booZeroId, leadAgentId: team.leadAgentId, members })
  const leader = leads === null ? undefined : byId.get(leads)
  const leaderId = leader?.participantKind === 'agent' ? leader.id : null
  const isHere = members.some(({ id }) => id === leaderId)
  const boos = members.filter(({ participantKind }) => participantKind === 'agent')
  return {
    boos: [...boos, ...(leader && leaderId !== null && !isHere ? [leader] : [])].sort(
      (one, other) => Number(other.id === leaderId) - Number(one.id === leaderId) || byName(one, other),
    ),
    people: members.filter(({ participantKind }) => participantKind === 'human').sort(byName),
    leaderId,
    agent: (id) => byId.get(id),
    nameOf: (id) => byId.get(id)?.displayName ?? 'A deleted Boo',
  }
}

function byName(one: Agent, other: Agent): number {
  return one.displayName.localeCompare(other.displayName, undefined, { numeric: true })
}
