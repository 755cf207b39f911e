import { ClawbooError } from '@clawboo/core'
import { plainWords } from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'

export const MOST_ADDRESSED = 50

/**
 * The members of a team that are meant, by id or by name, each once; `leaderId` is one of them, wherever it comes from.
 * Throws `agent_not_found` for who is none of them, with those who are.
 */
export async function findAddressed(
  from: Pick<Repositories, 'agents' | 'teams'>,
  teamId: string,
  wanted: readonly string[],
  leaderId: string | null = null,
): Promise<string[]> {
  if (wanted.length === 0) return []
  if (wanted.length > MOST_ADDRESSED)
    throw new ClawbooError('request_invalid', `a post is addressed to at most ${MOST_ADDRESSED} members`)
  const members = await membersOf(from, teamId, leaderId)
  const ids = wanted.map((who) => {
    const found = members.find(({ id }) => id === who) ?? onlyOne(members, who)
    if (found) return found.id
    const known = members.slice(0, 30).map(({ id, displayName }) => `${plainWords(displayName)} (${id})`)
    const there = known.length === 0 ? 'nobody is in the team' : `the team has ${known.join(', ')}`
    throw new ClawbooError('agent_not_found', `there is not one member "${plainWords(who)}"; ${there}`)
  })
  return [...new Set(ids)]
}

/** A leader need not be in the team it leads. */
async function membersOf(
  { agents, teams }: Pick<Repositories, 'agents' | 'teams'>,
  teamId: string,
  leaderId: string | null,
) {
  const members = await agents.namesInTeam(teamId)
  const leadId = leaderId ?? (await teams.get(teamId))?.leadAgentId ?? null
  const lead = leadId === null || members.some(({ id }) => id === leadId) ? null : await agents.get(leadId)
  return lead ? [...members, { id: lead.id, displayName: lead.displayName }] : members
}

/** Two of one name are told apart by their ids alone. */
function onlyOne<T extends { readonly displayName: string }>(members: readonly T[], name: string): T | undefined {
  const bare = name.replace(/^@/, '').toLowerCase()
  const named = members.filter(({ displayName }) => displayName.toLowerCase() === bare)
  return named.length === 1 ? named[0] : undefined
}
