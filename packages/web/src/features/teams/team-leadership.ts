import { resolveTeamLeader } from '@clawboo/core/registry'
import type { Agent, Fleet } from '../../api/fleet.ts'
import type { Team } from '../../api/teams.ts'

export interface Leadership {
  readonly leader: Agent | null
  readonly why: string
}

export function teamLeadership(team: Team, members: readonly Agent[], fleet: Fleet): Leadership {
  const { booZeroId } = fleet
  const leaderId = resolveTeamLeader({ booZeroId, leadAgentId: team.leadAgentId, members })
  const leader = fleet.agents.find((agent) => agent.id === leaderId) ?? null
  const lead = members.find((agent) => agent.id === team.leadAgentId)
  if (!leader) return { leader: null, why: 'The team is empty and there is no Boo Zero.' }
  if (leader.id === booZeroId) {
    const next =
      lead && lead.id !== leader.id
        ? ` ${lead.displayName} is the team's own lead and leads when there is no Boo Zero.`
        : ''
    return { leader, why: `${leader.displayName} is Boo Zero, and Boo Zero leads every team.${next}` }
  }
  if (leader.id === lead?.id)
    return { leader, why: `${leader.displayName} is the team's own lead, and there is no Boo Zero.` }
  return { leader, why: `${leader.displayName} is the first member; no lead is chosen, and there is no Boo Zero.` }
}
