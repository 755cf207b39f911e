import type { AgentRecord } from '@clawboo/core/registry'
import type { Participant } from '@clawboo/core/team-chat'
import type { Store } from '../store/open-store.ts'
import type { ExchangeParts } from './exchange-parts.ts'

export interface RoomMembers {
  readonly teamName: string
  /** null = nobody leads, or a person does. */
  readonly leaderId: string | null
  /** Agents that may speak, in order of id. People speak as they like, and owe nothing. */
  readonly participants: readonly Participant[]
  /** Everybody, people too. */
  readonly members: readonly AgentRecord[]
}

/** Who is in a team's room. Its leader is, also when it is in no team. Throws `team_not_found`. */
export async function readMembers(
  { store, teams }: Pick<ExchangeParts, 'store' | 'teams'>,
  teamId: string,
): Promise<RoomMembers> {
  const { team, memberIds, leaderId } = await teams.get(teamId)
  const ids = [...new Set([...memberIds, ...(leaderId === null ? [] : [leaderId])])].toSorted(byCodeUnits)
  const members = await liveAgents(store, ids)
  const participants = members
    .filter(({ participantKind }) => participantKind === 'agent')
    .map(({ id }) => ({ agentId: id, isLeader: id === leaderId }))
  const leads = participants.find(({ isLeader }) => isLeader)?.agentId ?? null
  return { teamName: team.name, leaderId: leads, participants, members }
}

async function liveAgents(store: Store, ids: readonly string[]): Promise<AgentRecord[]> {
  const found = await Promise.all(ids.map((id) => store.agents.get(id)))
  return found.filter((agent): agent is AgentRecord => agent !== null && agent.archivedAt === null)
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
