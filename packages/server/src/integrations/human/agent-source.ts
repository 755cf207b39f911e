import { randomBytes } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import {
  type AgentEvent,
  type AgentFileName,
  type AgentFileRevision,
  type AgentRecord,
  type AgentSource,
  type CreateAgentInput,
  EventQueue,
  readableSlug,
} from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { HUMAN_ID } from './human-id.ts'

/** People live in the registry itself, their files as revisions there: a person has no folder and no sessions. */
export function createPersonSource(host: Pick<IntegrationHost, 'records' | 'now'>): AgentSource {
  const { records } = host
  const events = new EventQueue<AgentEvent>()
  const tell = (agent: AgentRecord) => {
    events.push({ type: 'agent-upserted', sourceId: HUMAN_ID, agent })
    return agent
  }
  const wantPerson = async (id: string) => {
    const agent = await records.get(id)
    if (!agent) throw new ClawbooError('agent_not_found', `there is no person "${id}"`, { details: { agentId: id } })
    return agent
  }
  const freeId = async (name: string): Promise<string> => {
    const id = `person-${readableSlug(name, 'person')}-${randomBytes(3).toString('hex')}`
    return (await records.get(id)) ? freeId(name) : id
  }

  return {
    id: HUMAN_ID,

    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    listSessions: (agentId) => records.listSessions(agentId),

    createAgent: async (input) => tell(await records.insert(newPerson(input, await freeId(input.name)), input.files)),
    updateAgent: async (id, patch) => tell(await records.update(id, patch)),
    async deleteAgent(id) {
      await records.remove(id)
      events.push({ type: 'agent-archived', sourceId: HUMAN_ID, agentId: id })
    },

    async readFile(agentId, name) {
      await wantPerson(agentId)
      return (await records.latestFile(agentId, name))?.content ?? ''
    },
    async writeFile(agentId, name, content, options) {
      await wantPerson(agentId)
      const latest = await records.latestFile(agentId, name)
      const newest = latest?.revision ?? 0
      const base = options?.baseRevision
      if (base !== undefined && base !== newest) throw stale(name, base, latest)
      if (latest?.content === content) return
      if (await records.appendFile({ agentId, name, content, expectedRevision: newest })) return
      throw stale(name, newest, await records.latestFile(agentId, name))
    },

    start: async () => {},
    stop: async () => events.end(),
    // Nothing is ever behind: there is no upstream to be synced with.
    health: async () => ({ state: 'connected', lastSyncAt: null }),
    async sync() {
      const unchanged = (await records.list()).length
      return { added: 0, updated: 0, archived: 0, revived: 0, unchanged, at: host.now() }
    },
    events: () => events.subscribe(),
  }
}

function newPerson(input: CreateAgentInput, id: string) {
  return {
    id,
    sourceAgentId: id,
    name: input.name,
    emoji: input.emoji ?? null,
    avatarSeed: input.avatarSeed ?? id,
    sessionKey: null,
    teamId: input.teamId ?? null,
    personalityConfig: input.personalityConfig ?? null,
    execConfig: input.execConfig ?? null,
    participantKind: 'human',
    runtime: HUMAN_ID,
  } as const
}

function stale(name: AgentFileName, baseRevision: number, current: AgentFileRevision | null): ClawbooError {
  const { revision, content, author, createdAt } = current ?? {}
  const details = { baseRevision, current: current && { revision, content, author, createdAt } }
  return new ClawbooError('file_revision_stale', `${name} was changed since revision ${baseRevision}`, { details })
}
