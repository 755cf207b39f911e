import { randomBytes } from 'node:crypto'
import type { LiveEvent } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import { type AgentRecord, readableSlug, resolveTeamLeader, type TeamRecord } from '@clawboo/core/registry'
import type { Repositories, Store } from '../store/open-store.ts'
import type { RecordChange } from './record-change.ts'
import { checkTeamTakes, foldName, leaveTeam, MEMBERSHIP_LOCK } from './team-membership.ts'

export interface TeamDetail {
  readonly team: TeamRecord
  readonly memberIds: readonly string[]
  readonly leaderId: string | null
}

export type Teams = ReturnType<typeof createTeams>

/** Teams and their members. An agent is in one team or in none. */
export function createTeams(
  store: Store,
  record: RecordChange,
  booZeroId: () => Promise<string | null>,
  now: () => number = Date.now,
) {
  const get = async (id: string): Promise<TeamDetail> => {
    const team = await wantTeam(store, id)
    const members = await store.agents.namesInTeam(id)
    const leaderId = resolveTeamLeader({ booZeroId: await booZeroId(), leadAgentId: team.leadAgentId, members })
    return { team, memberIds: members.map((member) => member.id), leaderId }
  }
  const change = async (action: string, id: string, work: TeamWork, detail: unknown) => {
    await changeTeam(record, { action, id, detail }, work)
    return get(id)
  }

  return {
    list: () => store.teams.list(),
    get,
    async create(team: {
      name: string
      description?: string | null
      memberIds?: readonly string[]
      leadAgentId?: string | null
    }) {
      const id = `team-${readableSlug(team.name, 'team')}-${randomBytes(3).toString('hex')}`
      await createTeam(record, id, team, now)
      return get(id)
    },
    update: (id: string, patch: { name?: string; description?: string | null }) => {
      const work: TeamWork = async (tx) => {
        if (patch.name !== undefined) await checkNameFree(tx, patch.name, id)
        await tx.teams.update(id, { ...patch, updatedAt: now() })
        return []
      }
      return change('team.update', id, work, { fields: Object.keys(patch) })
    },
    /** The members of the team stay, without a team. */
    remove: (id: string) => removeTeam(record, id),
    addMember: (id: string, agentId: string) =>
      change('team.add-member', id, (tx) => join(tx, id, agentId, now()), { agentId }),
    removeMember: (id: string, agentId: string) =>
      change('team.remove-member', id, (tx) => leave(tx, id, agentId, now()), { agentId }),
    setLead: (id: string, agentId: string | null) => {
      const work: TeamWork = async (tx) => {
        if (agentId !== null && (await wantAgent(tx, agentId)).teamId !== id) throw notAMember(agentId)
        await tx.teams.update(id, { leadAgentId: agentId, updatedAt: now() })
        return []
      }
      return change('team.set-lead', id, work, { agentId })
    },
  }
}

/** Returns the events that come before the team's own, or null when nothing changes. */
type TeamWork = (tx: Repositories) => Promise<LiveEvent[] | null>

/** Changes one team under the membership lock and publishes it. */
function changeTeam(
  record: RecordChange,
  { action, id, detail }: { readonly action: string; readonly id: string; readonly detail: unknown },
  work: TeamWork,
): Promise<void> {
  return record({ action, subject: id, lock: MEMBERSHIP_LOCK }, async (tx) => {
    await wantTeam(tx, id)
    const events = await work(tx)
    if (events === null) return { result: undefined, events: [] }
    const team = await wantTeam(tx, id)
    return { result: undefined, events: [...events, { type: 'team-upserted', team }], detail }
  })
}

function createTeam(
  record: RecordChange,
  id: string,
  { name, description = null, memberIds = [], leadAgentId = null }: Parameters<Teams['create']>[0],
  now: () => number,
): Promise<void> {
  return record({ action: 'team.create', subject: id, lock: MEMBERSHIP_LOCK }, async (tx) => {
    await checkNameFree(tx, name, null)
    if (leadAgentId !== null && !memberIds.includes(leadAgentId)) throw notAMember(leadAgentId)
    await tx.teams.insert({ id, name, description, leadAgentId, createdAt: now() })
    const events: LiveEvent[] = []
    for (const memberId of new Set(memberIds)) events.push(...((await join(tx, id, memberId, now())) ?? []))
    const team = await wantTeam(tx, id)
    return { result: undefined, events: [{ type: 'team-upserted', team }, ...events], detail: { name } }
  })
}

function removeTeam(record: RecordChange, id: string): Promise<void> {
  return record({ action: 'team.delete', subject: id, lock: MEMBERSHIP_LOCK }, async (tx) => {
    const team = await wantTeam(tx, id)
    const members = await tx.agents.namesInTeam(id)
    await tx.teams.remove(id)
    const events: LiveEvent[] = [{ type: 'team-removed', teamId: id }]
    for (const member of members) events.push({ type: 'agent-upserted', agent: await wantAgent(tx, member.id) })
    return { result: undefined, events, detail: { name: team.name } }
  })
}

/**
 * Moves an agent into a team and publishes the change of its previous team. Returns null when it is already a member.
 */
async function join(tx: Repositories, teamId: string, agentId: string, at: number): Promise<LiveEvent[] | null> {
  const agent = await wantAgent(tx, agentId)
  if (agent.teamId === teamId) return null
  await checkTeamTakes(tx, teamId, { id: agentId, name: agent.displayName })
  const joined = await tx.agents.update(agent.sourceId, agentId, { teamId, updatedAt: at })
  const left = agent.teamId === null ? [] : await leaveTeam(tx, agent.teamId, agentId, at)
  return [{ type: 'agent-upserted', agent: joined! }, ...left]
}

async function leave(tx: Repositories, teamId: string, agentId: string, at: number): Promise<LiveEvent[]> {
  const agent = await wantAgent(tx, agentId)
  if (agent.teamId !== teamId) throw notAMember(agentId)
  await leaveTeam(tx, teamId, agentId, at)
  const left = await tx.agents.update(agent.sourceId, agentId, { teamId: null, updatedAt: at })
  return [{ type: 'agent-upserted', agent: left! }]
}

async function wantTeam(repositories: Pick<Repositories, 'teams'>, id: string): Promise<TeamRecord> {
  const team = await repositories.teams.get(id)
  if (!team) throw new ClawbooError('team_not_found', `there is no team "${id}"`, { details: { teamId: id } })
  return team
}

async function wantAgent(repositories: Pick<Repositories, 'agents'>, id: string): Promise<AgentRecord> {
  const agent = await repositories.agents.get(id)
  if (!agent) throw new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
  return agent
}

async function checkNameFree(tx: Repositories, name: string, exceptId: string | null): Promise<void> {
  const holder = (await tx.teams.list()).find((team) => team.id !== exceptId && foldName(team.name) === foldName(name))
  if (holder)
    throw new ClawbooError('team_name_taken', `there is already a team named "${holder.name}"`, {
      details: { teamId: holder.id, field: 'name' },
    })
}

function notAMember(agentId: string): ClawbooError {
  return new ClawbooError('agent_not_found', `agent "${agentId}" is not a member of this team`, {
    details: { agentId },
  })
}
