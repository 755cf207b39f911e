import { ClawbooError } from '@clawboo/core'
import { plainWords } from '@clawboo/core/board'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Participant, PostAuthor } from '@clawboo/core/team-chat'
import type { Teams } from '../../registry/teams.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import { OPERATOR_AUTHOR } from '../../store/repositories/rooms/posts-repository.ts'

export interface RoomMembers {
  readonly teamName: string
  /** null = the team has no leader, or its leader is a person. */
  readonly leaderId: string | null
  /** The agents that may have a turn, ordered by id. */
  readonly participants: readonly Participant[]
  /** The agents and the people. */
  readonly members: readonly AgentRecord[]
}

/** The members of a team's room, including a leader that is in no team. Throws `team_not_found`. */
export async function readMembers(
  { store, teams }: { readonly store: Store; readonly teams: Pick<Teams, 'get'> },
  teamId: string,
): Promise<RoomMembers> {
  const { team, memberIds, leaderId } = await teams.get(teamId)
  const ids = [...new Set([...memberIds, ...(leaderId === null ? [] : [leaderId])])].toSorted(byCodeUnits)
  const found = await Promise.all(ids.map((id) => store.agents.get(id)))
  const members = found.filter((agent): agent is AgentRecord => agent !== null && agent.archivedAt === null)
  const participants = members
    .filter(({ participantKind }) => participantKind === 'agent')
    .map(({ id }) => ({ agentId: id, isLeader: id === leaderId }))
  const leadingAgent = participants.find(({ isLeader }) => isLeader)?.agentId ?? null
  return { teamName: team.name, leaderId: leadingAgent, participants, members }
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export const MOST_ADDRESSED = 50

/**
 * Resolves ids or names to the ids of team members, each once. The leader can be addressed even when it is in no team.
 * Throws `agent_not_found` with the list of members.
 */
export async function findAddressed(
  repositories: Pick<Repositories, 'agents' | 'teams'>,
  teamId: string,
  wanted: readonly string[],
  leaderId: string | null = null,
): Promise<string[]> {
  if (wanted.length === 0) return []
  if (wanted.length > MOST_ADDRESSED)
    throw new ClawbooError('request_invalid', `a post can be addressed to at most ${MOST_ADDRESSED} members`)
  const members = await addressable(repositories, teamId, leaderId)
  const ids = wanted.map((idOrName) => {
    const found = members.find(({ id }) => id === idOrName) ?? findByName(members, idOrName)
    if (found) return found.id
    const known = members.slice(0, 30).map(({ id, displayName }) => `${plainWords(displayName)} (${id})`)
    const list = known.length === 0 ? 'the team has no members' : `the team has ${known.join(', ')}`
    throw new ClawbooError('agent_not_found', `no single member is called "${plainWords(idOrName)}"; ${list}`)
  })
  return [...new Set(ids)]
}

async function addressable(
  { agents, teams }: Pick<Repositories, 'agents' | 'teams'>,
  teamId: string,
  leaderId: string | null,
) {
  const members = await agents.namesInTeam(teamId)
  const leadId = leaderId ?? (await teams.get(teamId))?.leadAgentId ?? null
  const lead = leadId === null || members.some(({ id }) => id === leadId) ? null : await agents.get(leadId)
  return lead ? [...members, { id: lead.id, displayName: lead.displayName }] : members
}

/** Members with the same name can only be addressed by id. */
function findByName<T extends { readonly displayName: string }>(members: readonly T[], name: string): T | undefined {
  const bare = name.replace(/^@/, '').toLowerCase()
  const named = members.filter(({ displayName }) => displayName.toLowerCase() === bare)
  return named.length === 1 ? named[0] : undefined
}

/** A person who posts: the operator, or a person of the team. */
export type SpeakingPerson = { readonly kind: 'operator' } | { readonly kind: 'person'; readonly id: string }

/**
 * Returns the author of a person's post. The operator's credential can post for every person of the team, and for no
 * agent. Throws `agent_not_found`.
 */
export async function personAuthor(
  { agents }: Pick<Repositories, 'agents'>,
  teamId: string,
  by: SpeakingPerson,
): Promise<PostAuthor> {
  if (by.kind === 'operator') return OPERATOR_AUTHOR
  const person = await agents.get(by.id)
  if (person?.participantKind !== 'human' || person.teamId !== teamId || person.archivedAt !== null)
    throw new ClawbooError('agent_not_found', `this team has no person "${by.id}"`, { details: { agentId: by.id } })
  return { kind: 'person', id: by.id }
}
