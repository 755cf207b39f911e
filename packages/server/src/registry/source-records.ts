import type { LiveEvent } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import type {
  AgentFileName,
  AgentPatch,
  AgentRecord,
  RefusedAgent,
  RuntimeId,
  SourceRecords,
  UpstreamAgent,
} from '@clawboo/core/registry'
import { currentActor } from '../access/actor.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import { StoreConflict } from '../store/store-conflict.ts'
import { checkAgentId, sortOutAgents } from './agent-ids.ts'
import type { RecordChange } from './record-change.ts'
import { withTitles } from './session-titles.ts'
import { checkTeamTakes, leaveTeam, MEMBERSHIP_LOCK } from './team-membership.ts'

/** How long an unchanged upstream may go unrecorded; between two such moments a repeated sync writes no row. */
const SYNC_TIME_GRAIN_MS = 60_000

interface SyncMark {
  readonly at: number
  readonly mainKey: string | null
  /** Absent: nobody was. */
  readonly refused?: readonly RefusedAgent[]
}

const MOST_SESSIONS = 200
const EVERYBODY = { includeArchived: true } as const

/** The settings key under which a source's list-level facts are kept. */
export function syncMarkKey(sourceId: RuntimeId): string {
  return `source:${sourceId}:sync`
}

/** Everything an agent keeps in the settings starts with this and goes with it. */
export function agentSettingsPrefix(agentId: string): string {
  return `agent:${agentId}:`
}

/** Binds the registry of record to one source. Every statement below carries its id. */
export function createSourceRecords(
  sourceId: RuntimeId,
  store: Store,
  record: RecordChange,
  now: () => number = Date.now,
): SourceRecords {
  const actor = () => currentActor()?.name ?? `source:${sourceId}`
  let lastSyncAt: number | null = null
  const sortOut = async (tx: Repositories, agents: readonly UpstreamAgent[], newId: (id: string) => string) => {
    const asNew = sortOutAgents(agents, newId, () => false)
    if (asNew.refused.length === 0) return asNew
    // Who is there already keeps the id it has.
    const known = new Set((await tx.agents.list(sourceId, EVERYBODY)).map((agent) => agent.sourceAgentId))
    return sortOutAgents(agents, newId, (sourceAgentId) => known.has(sourceAgentId))
  }

  return {
    list: (options) => store.agents.list(sourceId, options),
    get: (id) => store.agents.getInSource(sourceId, id),
    listTeams: (options) => store.teams.list(options),
    async listSessions(agentId) {
      const agent = await ownAgent(store, sourceId, agentId)
      return withTitles(store, agent, await store.sessions.list(agentId, MOST_SESSIONS))
    },

    async insert(agent, files = {}) {
      checkAgentId(agent.id)
      return record(
        { action: 'agent.create', subject: agent.id, actor: actor(), lock: MEMBERSHIP_LOCK },
        async (tx) => {
          if (agent.teamId !== null) await checkTeamTakes(tx, agent.teamId, { id: agent.id, name: agent.name })
          const at = now()
          const inserted = await tx.agents.insert({ ...agent, sourceId, createdAt: at })
          const events: LiveEvent[] = [{ type: 'agent-upserted', agent: inserted }]
          for (const [name, content] of Object.entries(files) as [AgentFileName, string][]) {
            const revision = await tx.agentFiles.append({
              agentId: agent.id,
              name,
              content,
              author: actor(),
              expectedRevision: 0,
              at,
            })
            events.push({
              type: 'agent-file-written',
              agentId: agent.id,
              name,
              revision: revision!.revision,
              author: actor(),
            })
          }
          return { result: inserted, events: [...events, ...(await teamEvents(tx, agent.teamId))] }
        },
      )
    },

    update(id, patch) {
      return record({ action: 'agent.update', subject: id, actor: actor(), lock: MEMBERSHIP_LOCK }, async (tx) => {
        const before = await ownAgent(tx, sourceId, id)
        if (changesNothing(before, patch)) return { result: before, events: [] }
        const teamId = patch.teamId === undefined ? before.teamId : patch.teamId
        const name = patch.nameOverride ?? patch.name ?? before.displayName
        const joins = teamId !== null && (teamId !== before.teamId || name !== before.displayName)
        if (joins) await checkTeamTakes(tx, teamId, { id, name })
        const after = await tx.agents.update(sourceId, id, { ...patch, updatedAt: now() })
        const moved = before.teamId !== after!.teamId
        const left = moved && before.teamId !== null ? await leaveTeam(tx, before.teamId, id, now()) : []
        return {
          result: after!,
          events: [
            { type: 'agent-upserted', agent: after! },
            ...left,
            ...(moved ? await teamEvents(tx, after!.teamId) : []),
          ],
          detail: { fields: Object.keys(patch) },
        }
      })
    },

    remove(id) {
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
    },

    setStatus(id, status) {
      // No audit entry: an agent at work is nobody's decision.
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
    },

    async reconcile({ agents, mainKey, newId }) {
      const result = await record(
        { action: 'source.sync', subject: sourceId, actor: actor(), lock: `source:${sourceId}` },
        async (tx) => {
          const at = now()
          const sorted = await sortOut(tx, agents, newId)
          const made = await tx.agents.reconcile(sourceId, sorted.agents, {
            ...{ runtime: sourceId, newId: sorted.newId, now: at },
          })
          const { upserted, archivedIds } = made
          const refused = sorted.refused.length > 0 ? { refused: sorted.refused } : {}
          const result = { ...made.result, ...refused }
          const mark = await tx.settings.get<SyncMark>(syncMarkKey(sourceId))
          const changes: LiveEvent[] = [
            ...upserted.map((agent): LiveEvent => ({ type: 'agent-upserted', agent })),
            ...archivedIds.map((agentId): LiveEvent => ({ type: 'agent-archived', agentId })),
          ]
          const isToldAnew = JSON.stringify(mark?.refused) !== JSON.stringify(refused.refused)
          const differs = changes.length > 0 || mark?.mainKey !== mainKey || isToldAnew
          if (differs || at - mark.at > SYNC_TIME_GRAIN_MS)
            await tx.settings.set(syncMarkKey(sourceId), { at, mainKey, ...refused })
          return {
            result,
            events: differs ? [...changes, { type: 'sync-complete', sourceId, result }] : [],
            detail: result,
          }
        },
      )
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

    appendFile({ agentId, name, content, expectedRevision, author = actor() }) {
      return record({ action: 'agent-file.write', subject: agentId, actor: author }, async (tx) => {
        await ownAgent(tx, sourceId, agentId)
        const revision = await tx.agentFiles.append({ agentId, name, content, author, expectedRevision, at: now() })
        if (!revision) return { result: null, events: [] }
        const event: LiveEvent = { type: 'agent-file-written', agentId, name, revision: revision.revision, author }
        return { result: revision, events: [event], detail: { name, revision: revision.revision } }
      }).catch((error: unknown) => {
        // The agent was deleted between the look and the write.
        if (error instanceof StoreConflict && error.kind === 'foreign-key') throw noAgent(agentId)
        throw error
      })
    },
  }
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
