import type { LiveEvent } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import type { Repositories } from '../store/open-store.ts'

/**
 * The lock for every change of a team's members or of a member's name: otherwise two members who join at once could
 * take the same name.
 */
export const MEMBERSHIP_LOCK = 'team-membership'

/** Throws unless the team exists and the name is free in it. Call it under `MEMBERSHIP_LOCK`. */
export async function checkTeamTakes(
  tx: Pick<Repositories, 'teams' | 'agents'>,
  teamId: string,
  member: { readonly id: string; readonly name: string },
): Promise<void> {
  if (!(await tx.teams.get(teamId))) {
    throw new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
  }
  const wanted = foldName(member.name)
  const holder = (await tx.agents.namesInTeam(teamId)).find(
    (other) => other.id !== member.id && foldName(other.displayName) === wanted,
  )
  if (holder) {
    throw new ClawbooError('agent_name_taken', `the name "${member.name}" is already used in this team`, {
      details: { agentId: holder.id, field: 'name' },
    })
  }
}

/** Clears the lead when the lead left, and returns the events for the team's readers. */
export async function leaveTeam(
  tx: Pick<Repositories, 'teams'>,
  teamId: string,
  agentId: string,
  at: number,
): Promise<LiveEvent[]> {
  const team = await tx.teams.get(teamId)
  if (!team) return []
  const after =
    team.leadAgentId === agentId ? await tx.teams.update(teamId, { leadAgentId: null, updatedAt: at }) : team
  return [{ type: 'team-upserted', team: after! }]
}

/** Folds a name, so that names that look the same to a person are equal. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}
