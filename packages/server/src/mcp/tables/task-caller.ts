import { ClawbooError } from '@clawboo/core'
import { plainWords, type TaskAssignee } from '@clawboo/core/board'
import type { AgentActor, BoardActor } from '../../board/board-change.ts'
import type { Caller } from '../caller.ts'

export interface TeamMember extends TaskAssignee {
  readonly name: string
}

/** Lists the members of a team; null when the team does not exist. */
export type TeamMembers = (teamId: string) => Promise<readonly TeamMember[] | null>

/** Returns the board actor for a caller. Throws `team_not_found` for a run without a team. */
export function boardActor(caller: Caller): BoardActor {
  return caller.kind === 'operator' ? { kind: 'operator' } : agentActor(caller)
}

/** Throws `request_invalid` for the operator, who is not an agent. */
export function agentActor(caller: Caller): AgentActor {
  if (caller.kind === 'operator')
    throw new ClawbooError('request_invalid', 'only agents can use this tool; the operator cannot')
  const { agentId: id, teamId, runId, taskId } = caller
  if (teamId === null) throw new ClawbooError('team_not_found', 'this run belongs to no team, so it has no board')
  return { kind: 'agent', id, teamId, runId, taskId }
}

/** The team of the run, or the team that the operator names. */
export function teamOf(caller: Caller, named: string | undefined): string {
  if (caller.kind === 'run') return agentActor(caller).teamId
  if (named === undefined) throw new ClawbooError('request_invalid', 'the operator must name a team')
  return named
}

/** Finds a member of the team. Returns undefined unchanged, which means no change. */
export async function findAssignee(
  members: TeamMembers,
  caller: Caller,
  teamId: string,
  wanted: string | null | undefined,
): Promise<TaskAssignee | null | undefined> {
  if (wanted === null || wanted === undefined) return wanted
  if (wanted === 'me') return { kind: 'agent', id: agentActor(caller).id }
  const team = (await members(teamId)) ?? []
  const named = team.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const found = team.find(({ id }) => id === wanted) ?? (named.length === 1 ? named[0] : undefined)
  if (found) return { kind: found.kind, id: found.id }
  const known = team.slice(0, 30).map(({ id, name }) => `${plainWords(name)} (${id})`)
  const there = known.length === 0 ? 'the team has no members' : `choose one of ${known.join(', ')}`
  throw new ClawbooError('agent_not_found', `no single member matches "${plainWords(wanted)}"; ${there}`)
}
