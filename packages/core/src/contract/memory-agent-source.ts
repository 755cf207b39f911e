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

/** The upstream of a reference source, for tests in which it vanishes, changes and returns. */
export interface MemoryUpstream {
  readonly agents: Map<string, UpstreamAgent>
  readonly files: Map<string, string>
  connected: boolean
}

/**
 * The reference AgentSource: an upstream and a registry of record, both in memory. It demonstrates the contract; every
 * other source must behave the same.
 */
export function createMemoryAgentSource(id: RuntimeId, upstream: MemoryUpstream = emptyUpstream()): AgentSource {
  const state = new MemoryState(id, upstream)
  return { id, ...readsOf(state), ...writesOf(state), ...filesOf(state), ...lifecycleOf(state) }
}

class MemoryState {
  readonly id: RuntimeId
  readonly upstream: MemoryUpstream
  readonly rows = new Map<string, AgentRecord>()
  readonly revisions = new Map<string, number>()
  readonly events = new EventQueue<AgentEvent>()
  lastSyncAt: number | null = null
  #clock = 0

  constructor(id: RuntimeId, upstream: MemoryUpstream) {
    this.id = id
    this.upstream = upstream
  }

  tick(): number {
    return ++this.#clock
  }

  /** Throws while the upstream is away. */
  reach(): void {
    if (this.upstream.connected) return
    throw new ClawbooError('upstream_disconnected', `the upstream of "${this.id}" is not connected`)
  }

  want(agentId: string): AgentRecord {
    const row = this.rows.get(agentId)
    if (!row) throw new ClawbooError('agent_not_found', `there is no agent "${agentId}"`)
    return row
  }

  put(row: AgentRecord): AgentRecord {
    this.rows.set(row.id, row)
    return row
  }

  keepFile(key: string, content: string): void {
    this.upstream.files.set(key, content)
    this.revisions.set(key, (this.revisions.get(key) ?? 0) + 1)
  }
}

function readsOf(state: MemoryState): Pick<AgentSource, 'listAgents' | 'getAgent' | 'listTeams' | 'listSessions'> {
  return {
    async listAgents({ includeArchived = false, teamId } = {}) {
      return [...state.rows.values()].filter(
        (row) => (includeArchived || row.archivedAt === null) && (teamId === undefined || row.teamId === teamId),
      )
    },
    getAgent: async (agentId) => state.rows.get(agentId) ?? null,
    listTeams: async () => [],
    async listSessions(agentId) {
      state.want(agentId)
      state.reach()
      return []
    },
  }
}

function writesOf(state: MemoryState): Pick<AgentSource, 'createAgent' | 'updateAgent' | 'deleteAgent'> {
  const { id, upstream, rows } = state
  return {
    async createAgent(input) {
      state.reach()
      const sourceAgentId = `${readableSlug(input.name, 'agent')}-${state.tick()}`
      const listed = {
        sourceAgentId,
        name: input.name,
        emoji: input.emoji ?? null,
        avatarUrl: null,
        sessionKey: null,
        isDefault: false,
      }
      upstream.agents.set(sourceAgentId, listed)
      const row = state.put({
        ...freshRecord(id, listed, state.tick()),
        avatarSeed: input.avatarSeed ?? sourceAgentId,
        teamId: input.teamId ?? null,
        personalityConfig: input.personalityConfig ?? null,
        execConfig: input.execConfig ?? null,
        participantKind: input.participantKind ?? 'agent',
        runtime: input.runtime ?? id,
      })
      for (const [name, content] of Object.entries(input.files ?? {}))
        state.keepFile(`${sourceAgentId}/${name}`, content)
      return row
    },
    async updateAgent(agentId, { name, ...patch }) {
      const row = state.want(agentId)
      state.reach()
      const listed = upstream.agents.get(row.sourceAgentId)
      if (listed && name !== undefined) upstream.agents.set(row.sourceAgentId, { ...listed, name })
      const displayName = name ?? row.displayName
      return state.put({ ...row, ...patch, displayName, updatedAt: state.tick() })
    },
    async deleteAgent(agentId) {
      const row = state.want(agentId)
      state.reach()
      upstream.agents.delete(row.sourceAgentId)
      for (const key of upstream.files.keys()) if (key.startsWith(`${row.sourceAgentId}/`)) upstream.files.delete(key)
      rows.delete(agentId)
    },
  }
}

function filesOf(state: MemoryState): Pick<AgentSource, 'readFile' | 'writeFile'> {
  const { upstream, revisions } = state
  const fileKey = (agentId: string, name: AgentFileName) => `${state.want(agentId).sourceAgentId}/${name}`
  return {
    async readFile(agentId, name) {
      const key = fileKey(agentId, name)
      state.reach()
      return upstream.files.get(key) ?? ''
    },
    async writeFile(agentId, name, content, options) {
      const key = fileKey(agentId, name)
      state.reach()
      const newest = revisions.get(key) ?? 0
      if (options?.baseRevision !== undefined && options.baseRevision !== newest) {
        throw new ClawbooError('file_revision_stale', `${name} was changed since revision ${options.baseRevision}`, {
          details: { current: { revision: newest, content: upstream.files.get(key) ?? '' } },
        })
      }
      state.keepFile(key, content)
    },
  }
}

function lifecycleOf(
  state: MemoryState,
): Pick<AgentSource, 'start' | 'stop' | 'health' | 'sync' | 'removeGhosts' | 'events'> {
  const { id, upstream, rows, events } = state
  return {
    start: async () => events.push({ type: 'connection', sourceId: id, state: stateOf(upstream) }),
    stop: async () => events.end(),
    health: async () => ({ state: stateOf(upstream), lastSyncAt: state.lastSyncAt }),
    async sync() {
      state.reach()
      const result = reconcile(id, rows, [...upstream.agents.values()], state.tick(), (row) => state.put(row))
      state.lastSyncAt = result.at
      return result
    },
    async removeGhosts() {
      state.reach()
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
