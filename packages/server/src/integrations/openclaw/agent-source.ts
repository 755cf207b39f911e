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
import { createGatewayFiles, type GatewayFiles } from './agent-files.ts'
import { OPENCLAW_ID } from './descriptor.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { keepInSync } from './keep-in-sync.ts'
import type { OutsideApprovals } from './outside-approvals.ts'
import { followOutsideWork, type OutsideStatus } from './outside-work.ts'
import type { ActiveRuns } from './runtime/active-runs.ts'
import type { GatewaySessions } from './runtime/gateway-sessions.ts'
import { readSessionList } from './session-list.ts'
import { createUpstreamAgents, type UpstreamAgents } from './upstream-agents.ts'

const MOST_SESSIONS = 200

export type OpenClawAgentSource = AgentSource & Required<Pick<AgentSource, 'removeGhosts' | 'lookAtFiles'>>

interface Dependencies {
  readonly host: IntegrationHost
  readonly gateway: GatewayConnection
  readonly sessions: Pick<GatewaySessions, 'forget'>
  readonly runs: Pick<ActiveRuns, 'isOurs'>
  /** Active as long as the fleet is followed. */
  readonly outside: Pick<OutsideApprovals, 'start' | 'stop'>
  /** Opens the connection that a person configured, if any. Does not wait for its answer. */
  readonly resume: () => Promise<void>
}

/**
 * Agents of an OpenClaw Gateway. The Gateway answers a write before its list shows the change, so this source runs
 * writes in order, and each ends when the list shows it. Otherwise a sync in between would archive a new agent or
 * revive a deleted one.
 */
export function createOpenClawAgentSource(dependencies: Dependencies): OpenClawAgentSource {
  const { host, gateway } = dependencies
  const { records } = host
  const upstream = createUpstreamAgents(gateway)
  const working: Working = { ...dependencies, upstream, files: createGatewayFiles(gateway, records) }
  const sync = () =>
    upstream.inOrder(async (): Promise<SyncResult> => {
      const { agents, mainKey } = await upstream.list()
      return records.reconcile({ agents, mainKey, newId })
    })
  return {
    id: OPENCLAW_ID,
    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    async listSessions(agentId) {
      const agent = await requireAgent(records, agentId)
      const more = { includeDerivedTitles: true, includeLastMessage: true }
      const request = { agentId: agent.sourceAgentId, limit: MOST_SESSIONS, ...more }
      return readSessionList(await gateway.call('sessions.list', request), agent, await records.listSessions(agentId))
    },
    ...agentWrites(working),
    ...fileAccess(working),
    sync,
    async removeGhosts() {
      await sync()
      return upstream.inOrder(async () => {
        const gone = (await records.list({ includeArchived: true })).filter((agent) => agent.archivedAt !== null)
        for (const agent of gone) await remove(working, agent)
        return { removed: gone.map(({ id }) => id) }
      })
    },
    ...sourceLife(working, sync),
  }
}

interface Working extends Dependencies {
  readonly upstream: UpstreamAgents
  readonly files: GatewayFiles
}

async function requireAgent(records: SourceRecords, id: string): Promise<AgentRecord> {
  const agent = await records.get(id)
  if (!agent) throw new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
  return agent
}

/** Removes an agent that is gone upstream. A later agent with the same id starts without any of its state. */
async function remove({ host, sessions }: Working, { id, sourceAgentId }: AgentRecord): Promise<void> {
  await sessions.forget(sourceAgentId)
  await host.records.remove(id)
}

function agentWrites(working: Working): Pick<AgentSource, 'createAgent' | 'updateAgent' | 'deleteAgent'> {
  const { host, upstream, files } = working
  const { records } = host
  return {
    createAgent: (requested) =>
      upstream.inOrder(async () => {
        const input = { ...requested, ...checkedConfigs(requested) }
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
    updateAgent: (id, requested) =>
      upstream.inOrder(async () => {
        const agent = await requireAgent(records, id)
        const patch = { ...requested, ...checkedConfigs(requested) }
        const { name, emoji } = patch
        const upstreamChanges = { ...(name === undefined ? {} : { name }), ...(emoji === undefined ? {} : { emoji }) }
        // Team, personality and avatar are stored only here, so they change without the Gateway.
        const changed = Object.keys(upstreamChanges).length > 0
        if (changed) await upstream.update(agent.sourceAgentId, upstreamChanges)
        try {
          return await records.update(id, patch)
        } catch (error) {
          if (changed) await undoUpdate(upstream, agent, upstreamChanges)
          throw error
        }
      }),
    deleteAgent: (id) =>
      upstream.inOrder(async () => {
        const agent = await requireAgent(records, id)
        await upstream.remove(agent.sourceAgentId)
        await remove(working, agent)
      }),
  }
}

type FileAccess = Pick<OpenClawAgentSource, 'readFile' | 'lookAtFiles' | 'writeFile'>

function fileAccess({ host: { records }, files }: Working): FileAccess {
  return {
    readFile: async (agentId, name) => files.read(await requireAgent(records, agentId), name),
    lookAtFiles: async (agentId) => files.storeAll(await requireAgent(records, agentId)),
    async writeFile(agentId, name, content, options) {
      await files.write(await requireAgent(records, agentId), name, content, options?.baseRevision)
    },
  }
}

type Life = Pick<AgentSource, 'start' | 'stop' | 'health' | 'events'>

function sourceLife(
  { host: { records }, gateway, runs, outside, resume }: Working,
  sync: () => Promise<SyncResult>,
): Life {
  const events = new EventQueue<AgentEvent>()
  let trouble: string | null = null
  const noteTrouble = (error: unknown) => {
    trouble = error instanceof Error ? error.message : String(error)
  }
  const following = keepInSync(gateway, {
    sync: () =>
      sync().then(() => {
        trouble = null
      }, noteTrouble),
    onState: (state) => events.push({ type: 'connection', sourceId: OPENCLAW_ID, state }),
  })
  /** Reports in order, so that a start never overtakes the end before it. */
  let reporting = Promise.resolve()
  const outsideWork = followOutsideWork(gateway, {
    isOurs: (sessionKey) => runs.isOurs(sessionKey),
    onStatus(sourceAgentId, status) {
      reporting = reporting.then(() => reportStatus(records, events, sourceAgentId, status)).catch(noteTrouble)
    },
  })
  return {
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
      const detail = problem?.message ?? trouble
      return { state, lastSyncAt: await records.lastSyncAt(), ...(detail === null ? {} : { detail }) }
    },
    events: () => events.subscribe(),
  }
}

async function reportStatus(
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

/** Another server on the same registry may already have synced the agent; then its row is used. */
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
    const existing = (await records.list()).find((agent) => agent.sourceAgentId === made.sourceAgentId)
    if (!existing) throw error
    return records.update(existing.id, ours)
  }
}

/**
 * Removes an agent that could not be created completely. Errors are ignored, because the caller reports the original
 * one.
 */
async function undoCreate({ records }: IntegrationHost, upstream: UpstreamAgents, sourceAgentId: string) {
  await upstream.remove(sourceAgentId).catch(() => {})
  const row = (await records.list()).find((agent) => agent.sourceAgentId === sourceAgentId)
  if (row) await records.remove(row.id).catch(() => {})
}

/**
 * Best effort, because the caller reports the original error. The Gateway cannot remove an emoji, so a first emoji
 * stays and the next sync stores it.
 */
async function undoUpdate(upstream: UpstreamAgents, agent: AgentRecord, changed: { name?: string; emoji?: unknown }) {
  const { sourceAgentId, displayName: name, emoji } = agent
  const before = {
    ...(changed.name === undefined ? {} : { name }),
    ...(changed.emoji === undefined || emoji === null ? {} : { emoji }),
  }
  if (Object.keys(before).length > 0) await upstream.update(sourceAgentId, before).catch(() => {})
}

/** Not the Gateway's own id: an agent that is deleted and recreated under its name is a new agent. */
function newId(sourceAgentId: string): string {
  return `${OPENCLAW_ID}-${readableSlug(sourceAgentId, 'agent')}-${randomBytes(3).toString('hex')}`
}
