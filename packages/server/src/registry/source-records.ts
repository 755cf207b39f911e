import type { LiveEvent } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import {
  type AgentFileName,
  type AgentFileRevision,
  type AgentPatch,
  type AgentRecord,
  type AgentRecordStatus,
  conversationKind,
  type NewAgent,
  type RuntimeId,
  type SessionRecord,
  type SourceRecords,
} from '@clawboo/core/registry'
import { teamIdOf } from '@clawboo/core/team-chat'
import { currentActor } from '../access/actor.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import { StoreConflict } from '../store/store-conflict.ts'
import { checkAgentId } from './agent-ids.ts'
import { reconcileSource, type SyncMark, syncMarkKey } from './reconcile-source.ts'
import type { RecordChange } from './record-change.ts'
import { checkTeamTakes, leaveTeam, MEMBERSHIP_LOCK } from './team-membership.ts'

const MOST_SESSIONS = 200

/** The prefix of all settings of an agent; they are deleted with the agent. */
export function agentSettingsPrefix(agentId: string): string {
  return `agent:${agentId}:`
}

/** Limits the registry of record to one source. Every statement below includes the source's id. */
export function createSourceRecords(
  sourceId: RuntimeId,
  store: Store,
  record: RecordChange,
  now: () => number = Date.now,
): SourceRecords {
  const actor = () => currentActor()?.name ?? `source:${sourceId}`
  const scope: SourceScope = { sourceId, record, now, actor }
  let lastSyncAt: number | null = null

  return {
    list: (options) => store.agents.list(sourceId, options),
    get: (id) => store.agents.getInSource(sourceId, id),
    listTeams: (options) => store.teams.list(options),
    async listSessions(agentId) {
      const agent = await ownAgent(store, sourceId, agentId)
      return withTitles(store, agent, await store.sessions.list(agentId, MOST_SESSIONS))
    },
    insert: (agent, files = {}) => insertAgent(scope, agent, files),
    update: (id, patch) => updateAgent(scope, id, patch),
    remove: (id) => removeAgent(scope, id),
    setStatus: (id, status) => setAgentStatus(scope, id, status),
    async reconcile(upstream) {
      const about = { action: 'source.sync', subject: sourceId, actor: actor(), lock: `source:${sourceId}` }
      const result = await record(about, (tx) => reconcileSource(tx, sourceId, upstream, now()))
      lastSyncAt = result.at
      return result
    },
    async lastSyncAt() {
      lastSyncAt ??= (await store.settings.get<SyncMark>(syncMarkKey(sourceId)))?.at ?? null
      return lastSyncAt
    },
    async latestFile(agentId, name) {
      await ownAgent(store, sourceId, agentId)
      return store.agentFiles.latest(agentId, name)
    },
    appendFile: (file) => appendFile(scope, file),
  }
}

interface SourceScope {
  readonly sourceId: RuntimeId
  readonly record: RecordChange
  readonly now: () => number
  readonly actor: () => string
}

async function insertAgent(
  { sourceId, record, now, actor }: SourceScope,
  agent: NewAgent,
  files: Readonly<Partial<Record<AgentFileName, string>>>,
): Promise<AgentRecord> {
  checkAgentId(agent.id)
  const about = { action: 'agent.create', subject: agent.id, actor: actor(), lock: MEMBERSHIP_LOCK }
  return record(about, async (tx) => {
    if (agent.teamId !== null) await checkTeamTakes(tx, agent.teamId, { id: agent.id, name: agent.name })
    const at = now()
    const inserted = await tx.agents.insert({ ...agent, sourceId, createdAt: at })
    const events: LiveEvent[] = [{ type: 'agent-upserted', agent: inserted }]
    for (const [name, content] of Object.entries(files) as [AgentFileName, string][]) {
      const file = { agentId: agent.id, name, content, author: actor(), expectedRevision: 0, at }
      const { revision } = (await tx.agentFiles.append(file))!
      events.push({ type: 'agent-file-written', agentId: agent.id, name, revision, author: actor() })
    }
    return { result: inserted, events: [...events, ...(await teamEvents(tx, agent.teamId))] }
  })
}

function updateAgent(
  { sourceId, record, now, actor }: SourceScope,
  id: string,
  patch: AgentPatch,
): Promise<AgentRecord> {
  return record({ action: 'agent.update', subject: id, actor: actor(), lock: MEMBERSHIP_LOCK }, async (tx) => {
    const before = await ownAgent(tx, sourceId, id)
    if (changesNothing(before, patch)) return { result: before, events: [] }
    const teamId = patch.teamId === undefined ? before.teamId : patch.teamId
    const name = patch.nameOverride ?? patch.name ?? before.displayName
    const joins = teamId !== null && (teamId !== before.teamId || name !== before.displayName)
    if (joins) await checkTeamTakes(tx, teamId, { id, name })
    const after = (await tx.agents.update(sourceId, id, { ...patch, updatedAt: now() }))!
    const moved = before.teamId !== after.teamId
    const left = moved && before.teamId !== null ? await leaveTeam(tx, before.teamId, id, now()) : []
    const joined = moved ? await teamEvents(tx, after.teamId) : []
    return {
      result: after,
      events: [{ type: 'agent-upserted', agent: after }, ...left, ...joined],
      detail: { fields: Object.keys(patch) },
    }
  })
}

function removeAgent({ sourceId, record, now, actor }: SourceScope, id: string): Promise<void> {
  return record({ action: 'agent.delete', subject: id, actor: actor(), lock: MEMBERSHIP_LOCK }, async (tx) => {
    const agent = await ownAgent(tx, sourceId, id)
    await tx.agents.remove(sourceId, id)
    await tx.settings.removePrefix(agentSettingsPrefix(id))
    const left = agent.teamId === null ? [] : await leaveTeam(tx, agent.teamId, id, now())
    return {
      result: undefined,
      events: [{ type: 'agent-removed', agentId: id }, ...left],
      detail: { name: agent.displayName },
    }
  })
}

function setAgentStatus({ sourceId, record, now }: SourceScope, id: string, status: AgentRecordStatus): Promise<void> {
  // No audit entry: a status is an observation, not a decision.
  return record({ action: null }, async (tx) => {
    const agent = await ownAgent(tx, sourceId, id)
    if (agent.status === status) return { result: undefined, events: [] }
    const statusAt = now()
    await tx.agents.setStatus(id, status, statusAt)
    return {
      result: undefined,
      events: [{ type: 'agent-status', agentId: id, status, statusAt }],
    }
  })
}

function appendFile(
  { sourceId, record, now, actor }: SourceScope,
  { agentId, name, content, expectedRevision, author = actor() }: Parameters<SourceRecords['appendFile']>[0],
): Promise<AgentFileRevision | null> {
  return record({ action: 'agent-file.write', subject: agentId, actor: author }, async (tx) => {
    await ownAgent(tx, sourceId, agentId)
    const revision = await tx.agentFiles.append({ agentId, name, content, author, expectedRevision, at: now() })
    if (!revision) return { result: null, events: [] }
    const event: LiveEvent = { type: 'agent-file-written', agentId, name, revision: revision.revision, author }
    return { result: revision, events: [event], detail: { name, revision: revision.revision } }
  }).catch((error: unknown) => {
    // The agent was deleted between the read and the write.
    if (error instanceof StoreConflict && error.kind === 'foreign-key') throw noAgent(agentId)
    throw error
  })
}

async function ownAgent(
  repositories: Pick<Repositories, 'agents'>,
  sourceId: RuntimeId,
  id: string,
): Promise<AgentRecord> {
  const agent = await repositories.agents.getInSource(sourceId, id)
  if (!agent) throw noAgent(id)
  return agent
}

function noAgent(id: string): ClawbooError {
  return new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
}

function changesNothing(agent: AgentRecord, { name = agent.displayName, ...rest }: AgentPatch): boolean {
  const same = ([field, value]: [string, unknown]) =>
    field in agent && JSON.stringify(value) === JSON.stringify(agent[field as keyof AgentRecord])
  return name === agent.displayName && Object.entries(rest).every(same)
}

async function teamEvents(tx: Repositories, teamId: string | null): Promise<LiveEvent[]> {
  const team = teamId === null ? null : await tx.teams.get(teamId)
  return team ? [{ type: 'team-upserted', team }] : []
}

/** Names an agent's conversations for people, instead of by their keys. */
async function withTitles(
  { tasks, teams }: Pick<Repositories, 'tasks' | 'teams'>,
  agent: AgentRecord,
  sessions: readonly SessionRecord[],
): Promise<SessionRecord[]> {
  const main = agent.sessionKey ?? `agent:${agent.id}:main`
  const of = sessions.map(({ sourceSessionId: key }) => {
    if (key === main) return { kind: 'person', rest: 'main' } as const
    const kind = conversationKind(agent.id, key)
    const prefix = `agent:${agent.id}:${kind === 'person' ? '' : `${kind}:`}`
    return { kind, rest: key.startsWith(prefix) ? key.slice(prefix.length) : key }
  })
  const taskIds = of.filter(({ kind }) => kind === 'task').map(({ rest }) => rest)
  const titles = new Map((await tasks.getMany(taskIds)).map(({ id, title }) => [id, title]))
  const named = new Map<string, string>()
  for (const { kind, rest } of of) {
    const teamId = kind === 'room' ? teamIdOf(rest) : null
    const team = teamId === null ? null : await teams.get(teamId)
    if (team) named.set(rest, team.name)
  }
  return sessions.map((session, at) => {
    const { kind, rest } = of[at]!
    return { ...session, title: titleOf(kind, rest, kind === 'task' ? titles.get(rest) : named.get(rest)) }
  })
}

function titleOf(kind: ReturnType<typeof conversationKind>, rest: string, name: string | undefined): string {
  if (kind === 'room') return name === undefined ? 'Deleted room' : `Room of ${name}`
  if (kind === 'task') return name === undefined ? 'Deleted task' : `Task: ${name}`
  return rest === 'main' ? 'Conversation' : rest
}
