import { ClawbooError } from '../clawboo-error.ts'
import type {
  AgentEvent,
  AgentFileName,
  AgentRecord,
  AgentSource,
  ConnectionState,
  RuntimeId,
  SyncResult,
  UpstreamAgent,
} from '../registry/index.ts'
import { EventQueue, readableSlug } from '../registry/index.ts'

/** The upstream behind a reference source, for tests that need one to vanish, change and come back. */
export interface MemoryUpstream {
  readonly agents: Map<string, UpstreamAgent>
  readonly files: Map<string, string>
  connected: boolean
}

/**
 * The reference AgentSource: an upstream and a registry of record, both in memory. It shows what the contract means;
 * every other source must behave the same.
 */
export function createMemoryAgentSource(id: RuntimeId, upstream: MemoryUpstream = emptyUpstream()): AgentSource {
  const rows = new Map<string, AgentRecord>()
  const revisions = new Map<string, number>()
  const events = new EventQueue<AgentEvent>()
  let lastSyncAt: number | null = null
  let clock = 0
  const tick = () => ++clock
  const reach = () => {
    if (!upstream.connected) throw new ClawbooError('upstream_disconnected', `the upstream of "${id}" is not connected`)
  }
  const want = (agentId: string) => {
    const row = rows.get(agentId)
    if (!row) throw new ClawbooError('agent_not_found', `there is no agent "${agentId}"`)
    return row
  }
  const put = (row: AgentRecord) => {
    rows.set(row.id, row)
    return row
  }
  const fileKey = (agentId: string, name: AgentFileName) => `${want(agentId).sourceAgentId}/${name}`
  const keepFile = (key: string, content: string) => {
    upstream.files.set(key, content)
    revisions.set(key, (revisions.get(key) ?? 0) + 1)
  }

  return {
    id,
    async listAgents({ includeArchived = false, teamId } = {}) {
      return [...rows.values()].filter(
        (row) => (includeArchived || row.archivedAt === null) && (teamId === undefined || row.teamId === teamId),
      )
    },
    getAgent: async (agentId) => rows.get(agentId) ?? null,
    listTeams: async () => [],
    async listSessions(agentId) {
      want(agentId)
      reach()
      return []
    },

    async createAgent(input) {
      reach()
      const sourceAgentId = `${readableSlug(input.name, 'agent')}-${tick()}`
      const listed = {
        sourceAgentId,
        name: input.name,
        emoji: input.emoji ?? null,
        avatarUrl: null,
        sessionKey: null,
        isDefault: false,
      }
      upstream.agents.set(sourceAgentId, listed)
      const row = put({
        ...freshRecord(id, listed, tick()),
        avatarSeed: input.avatarSeed ?? sourceAgentId,
        teamId: input.teamId ?? null,
        personalityConfig: input.personalityConfig ?? null,
        execConfig: input.execConfig ?? null,
        participantKind: input.participantKind ?? 'agent',
        runtime: input.runtime ?? id,
      })
      for (const [name, content] of Object.entries(input.files ?? {})) keepFile(`${sourceAgentId}/${name}`, content)
      return row
    },
    async updateAgent(agentId, { name, ...patch }) {
      const row = want(agentId)
      reach()
      const listed = upstream.agents.get(row.sourceAgentId)
      if (listed && name !== undefined) upstream.agents.set(row.sourceAgentId, { ...listed, name })
      return put({ ...row, ...patch, ...(name === undefined ? {} : { displayName: name }), updatedAt: tick() })
    },
    async archiveAgent(agentId) {
      const row = want(agentId)
      reach()
      upstream.agents.delete(row.sourceAgentId)
      for (const key of upstream.files.keys()) if (key.startsWith(`${row.sourceAgentId}/`)) upstream.files.delete(key)
      rows.delete(agentId)
    },

    async readFile(agentId, name) {
      const key = fileKey(agentId, name)
      reach()
      return upstream.files.get(key) ?? ''
    },
    async writeFile(agentId, name, content, options) {
      const key = fileKey(agentId, name)
      reach()
      const newest = revisions.get(key) ?? 0
      if (options?.baseRevision !== undefined && options.baseRevision !== newest) {
        throw new ClawbooError('file_revision_stale', `${name} was changed since revision ${options.baseRevision}`, {
          details: { current: { revision: newest, content: upstream.files.get(key) ?? '' } },
        })
      }
      keepFile(key, content)
    },

    start: async () => events.push({ type: 'connection', sourceId: id, state: stateOf(upstream) }),
    stop: async () => events.end(),
    health: async () => ({ state: stateOf(upstream), lastSyncAt }),
    async sync() {
      reach()
      const result = reconcile(id, rows, [...upstream.agents.values()], tick(), put)
      lastSyncAt = result.at
      return result
    },
    async removeGhosts() {
      reach()
      const gone = [...rows.values()].filter((row) => !upstream.agents.has(row.sourceAgentId))
      for (const { id: agentId } of gone) rows.delete(agentId)
      return { removed: gone.map((row) => row.id) }
    },
    events: () => events.subscribe(),
  }
}

export function emptyUpstream(): MemoryUpstream {
  return { agents: new Map(), files: new Map(), connected: true }
}

function stateOf(upstream: MemoryUpstream): ConnectionState {
  return upstream.connected ? 'connected' : 'disconnected'
}

function freshRecord(sourceId: RuntimeId, listed: UpstreamAgent, at: number): AgentRecord {
  return {
    id: `${sourceId}:${listed.sourceAgentId}`,
    sourceId,
    ...upstreamFields(listed),
    avatarSeed: listed.sourceAgentId,
    status: 'idle',
    statusAt: at,
    teamId: null,
    personalityConfig: null,
    execConfig: null,
    capabilities: null,
    participantKind: 'agent',
    runtime: sourceId,
    tenantId: null,
    archivedAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

function upstreamFields({ sourceAgentId, name, emoji, avatarUrl, sessionKey, isDefault }: UpstreamAgent) {
  return { sourceAgentId, displayName: name ?? sourceAgentId, emoji, avatarUrl, sessionKey, isDefault }
}

function reconcile(
  sourceId: RuntimeId,
  rows: Map<string, AgentRecord>,
  listed: readonly UpstreamAgent[],
  at: number,
  put: (row: AgentRecord) => void,
): SyncResult {
  const result = { added: 0, updated: 0, archived: 0, revived: 0, unchanged: 0, at }
  const bySourceAgentId = new Map([...rows.values()].map((row) => [row.sourceAgentId, row]))
  for (const agent of listed) {
    const row = bySourceAgentId.get(agent.sourceAgentId)
    bySourceAgentId.delete(agent.sourceAgentId)
    const fields = upstreamFields(agent)
    if (!row) {
      result.added++
      put(freshRecord(sourceId, agent, at))
    } else if (row.archivedAt !== null) {
      result.revived++
      put({ ...row, ...fields, archivedAt: null, status: 'idle', statusAt: at, updatedAt: at })
    } else if (Object.entries(fields).some(([key, value]) => row[key as keyof AgentRecord] !== value)) {
      result.updated++
      put({ ...row, ...fields, updatedAt: at })
    } else result.unchanged++
  }
  for (const row of bySourceAgentId.values()) {
    if (row.archivedAt !== null) continue
    result.archived++
    rows.set(row.id, { ...row, archivedAt: at, status: 'archived', statusAt: at, updatedAt: at })
  }
  return result
}
