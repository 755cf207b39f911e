import { randomBytes } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import {
  type AgentEvent,
  type AgentFileName,
  type AgentRecord,
  type AgentSource,
  type CreateAgentInput,
  EventQueue,
  readableSlug,
  type SourceRecords,
  type SyncResult,
  type UpdateAgentInput,
} from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { checkPersonalityConfig } from '../host-config.ts'
import { checkExecConfig } from './agent-config.ts'
import { createGatewayFiles } from './agent-files.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { keepInSync } from './keep-in-sync.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import type { OutsideApprovals } from './outside-approvals.ts'
import { followOutsideWork, type OutsideStatus } from './outside-work.ts'
import type { ActiveRuns } from './runtime/active-runs.ts'
import type { GatewaySessions } from './runtime/gateway-sessions.ts'
import { readSessionList } from './session-list.ts'
import { createUpstreamAgents, type UpstreamAgents } from './upstream-agents.ts'

const MOST_SESSIONS = 200

export type OpenClawAgentSource = AgentSource & Required<Pick<AgentSource, 'removeGhosts' | 'lookAtFiles'>>

interface Parts {
  readonly host: IntegrationHost
  readonly gateway: GatewayConnection
  readonly sessions: Pick<GatewaySessions, 'forget'>
  readonly runs: Pick<ActiveRuns, 'isOurs'>
  /** Followed as long as the fleet is. */
  readonly outside: Pick<OutsideApprovals, 'start' | 'stop'>
  /** Opens the connection that a person wished for, if there is one. Does not wait for its answer. */
  readonly resume: () => Promise<void>
}

/**
 * Agents of an OpenClaw Gateway. The Gateway answers a write before its list shows it, and works off its writes one
 * after the other: so does this source, and each write here ends when the list shows it. A sync in between would
 * otherwise archive who was just made and revive who was just deleted.
 */
export function createOpenClawAgentSource(parts: Parts): OpenClawAgentSource {
  const { host, gateway, sessions, outside, resume } = parts
  const { records } = host
  const events = new EventQueue<AgentEvent>()
  const upstream = createUpstreamAgents(gateway)
  const files = createGatewayFiles(gateway, records)
  let troubleWithSync: string | null = null

  const syncNow = async (): Promise<SyncResult> => {
    const { agents, mainKey } = await upstream.list()
    return records.reconcile({ agents, mainKey, newId })
  }
  const sync = () => upstream.inTurn(syncNow)
  const following = keepInSync(gateway, {
    sync: async () => {
      try {
        await sync()
        troubleWithSync = null
      } catch (error) {
        troubleWithSync = error instanceof Error ? error.message : String(error)
      }
    },
    told: (state) => events.push({ type: 'connection', sourceId: OPENCLAW_ID, state }),
  })
  const outsideWork = followOutsideWork(gateway, {
    isOurs: (sessionKey) => parts.runs.isOurs(sessionKey),
    told: (sourceAgentId, status) =>
      void tellStatus(records, events, sourceAgentId, status).catch((error: unknown) => {
        troubleWithSync = error instanceof Error ? error.message : String(error)
      }),
  })
  const wantAgent = async (id: string) => {
    const agent = await records.get(id)
    if (!agent) throw new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
    return agent
  }
  /** Who is gone for good: another that is given its id begins with nothing of it. */
  const remove = async ({ id, sourceAgentId }: AgentRecord) => {
    await sessions.forget(sourceAgentId)
    await records.remove(id)
  }

  return {
    id: OPENCLAW_ID,

    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    async listSessions(agentId) {
      const agent = await wantAgent(agentId)
      const more = { includeDerivedTitles: true, includeLastMessage: true }
      const wish = { agentId: agent.sourceAgentId, limit: MOST_SESSIONS, ...more }
      return readSessionList(await gateway.call('sessions.list', wish), agent, await records.listSessions(agentId))
    },

    createAgent: (given) =>
      upstream.inTurn(async () => {
        const input = { ...given, ...checkedConfigs(given) }
        const made = await upstream.create(input.name, input.emoji ?? null)
        try {
          const agent = await insertOrAdopt(host, input, made)
          for (const [name, content] of Object.entries(input.files ?? {}) as [AgentFileName, string][])
            await files.write(agent, name, content)
          return agent
        } catch (error) {
          await undoCreate(host, upstream, made.sourceAgentId)
          throw error
        }
      }),
    updateAgent: (id, given) =>
      upstream.inTurn(async () => {
        const agent = await wantAgent(id)
        const patch = { ...given, ...checkedConfigs(given) }
        const { name, emoji } = patch
        const theirs = { ...(name === undefined ? {} : { name }), ...(emoji === undefined ? {} : { emoji }) }
        // A team, a personality, an avatar are ours: they change without the Gateway.
        const changed = Object.keys(theirs).length > 0
        if (changed) await upstream.update(agent.sourceAgentId, theirs)
        try {
          return await records.update(id, patch)
        } catch (error) {
          if (changed) await undoUpdate(upstream, agent, theirs)
          throw error
        }
      }),
    archiveAgent: (id) =>
      upstream.inTurn(async () => {
        const agent = await wantAgent(id)
        await upstream.remove(agent.sourceAgentId)
        await remove(agent)
      }),
    async removeGhosts() {
      await sync()
      return upstream.inTurn(async () => {
        const gone = (await records.list({ includeArchived: true })).filter((agent) => agent.archivedAt !== null)
        for (const agent of gone) await remove(agent)
        return { removed: gone.map(({ id }) => id) }
      })
    },

    readFile: async (agentId, name) => files.read(await wantAgent(agentId), name),
    lookAtFiles: async (agentId) => files.look(await wantAgent(agentId)),
    async writeFile(agentId, name, content, options) {
      await files.write(await wantAgent(agentId), name, content, options?.baseRevision)
    },

    async start() {
      following.start()
      outside.start()
      outsideWork.start()
      await resume()
    },
    async stop() {
      following.stop()
      outside.stop()
      outsideWork.stop()
      await gateway.close()
      events.end()
    },
    async health() {
      const { state, problem } = gateway.status()
      const detail = problem?.message ?? troubleWithSync
      return { state, lastSyncAt: await records.lastSyncAt(), ...(detail === null ? {} : { detail }) }
    },
    sync,
    events: () => events.subscribe(),
  }
}

async function tellStatus(
  records: SourceRecords,
  events: EventQueue<AgentEvent>,
  sourceAgentId: string,
  status: OutsideStatus,
): Promise<void> {
  const agent = (await records.list()).find((one) => one.sourceAgentId === sourceAgentId)
  if (agent) events.push({ type: 'agent-status', sourceId: OPENCLAW_ID, agentId: agent.id, status })
}

function checkedConfigs({ execConfig, personalityConfig }: UpdateAgentInput) {
  return {
    ...(execConfig === undefined ? {} : { execConfig: checkExecConfig(execConfig) }),
    ...(personalityConfig === undefined ? {} : { personalityConfig: checkPersonalityConfig(personalityConfig) }),
  }
}

/** Another server on the same registry may have synced it in already: then that row is the one. */
async function insertOrAdopt(
  { records }: IntegrationHost,
  input: CreateAgentInput,
  made: { readonly sourceAgentId: string; readonly sessionKey: string },
): Promise<AgentRecord> {
  const id = newId(made.sourceAgentId)
  const ours = {
    teamId: input.teamId ?? null,
    avatarSeed: input.avatarSeed ?? id,
    personalityConfig: input.personalityConfig ?? null,
    execConfig: input.execConfig ?? null,
  }
  const { name, emoji = null } = input
  const row = { ...ours, ...made, id, name, emoji, participantKind: 'agent', runtime: OPENCLAW_ID } as const
  try {
    return await records.insert(row)
  } catch (error) {
    const there = (await records.list()).find((agent) => agent.sourceAgentId === made.sourceAgentId)
    if (!there) throw error
    return records.update(there.id, ours)
  }
}

/** Nothing of an agent stays that could not be made as it was wished. */
async function undoCreate({ records }: IntegrationHost, upstream: UpstreamAgents, sourceAgentId: string) {
  await upstream.remove(sourceAgentId).catch(() => {})
  const row = (await records.list()).find((agent) => agent.sourceAgentId === sourceAgentId)
  if (row) await records.remove(row.id).catch(() => {})
}

/** The Gateway cannot take an emoji away: a first one stays, and the next sync takes it in. */
async function undoUpdate(upstream: UpstreamAgents, agent: AgentRecord, changed: { name?: string; emoji?: unknown }) {
  const { sourceAgentId, displayName: name, emoji } = agent
  const before = {
    ...(changed.name === undefined ? {} : { name }),
    ...(changed.emoji === undefined || emoji === null ? {} : { emoji }),
  }
  if (Object.keys(before).length > 0) await upstream.update(sourceAgentId, before).catch(() => {})
}

/** Not the Gateway's own id: an agent that is deleted and made again under its name is another one. */
function newId(sourceAgentId: string): string {
  return `${OPENCLAW_ID}-${readableSlug(sourceAgentId, 'agent')}-${randomBytes(3).toString('hex')}`
}
