import { randomBytes } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import {
  type AgentEvent,
  type AgentRecord,
  type AgentSource,
  type CreateAgentInput,
  EventQueue,
  readableSlug,
  type SyncResult,
} from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { NATIVE_ID } from './native-id.ts'
import { createWorkspace } from './workspace.ts'

/** Agents that live in the registry itself: the database is its own upstream, so no write ever waits for one. */
export function createNativeAgentSource(host: IntegrationHost): AgentSource {
  const { records } = host
  const events = new EventQueue<AgentEvent>()
  const workspace = createWorkspace(records, host.files)
  const tell = (agent: AgentRecord) => {
    events.push({ type: 'agent-upserted', sourceId: NATIVE_ID, agent })
    return agent
  }
  const wantAgent = async (id: string) => {
    const agent = await records.get(id)
    if (!agent) throw new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
    return agent
  }

  /** Six hex digits are few enough to meet twice in a large fleet of one name. */
  const freeId = async (name: string): Promise<string> => {
    const id = `native-${readableSlug(name, 'boo')}-${randomBytes(3).toString('hex')}`
    return (await records.get(id)) ? freeId(name) : id
  }

  return {
    id: NATIVE_ID,

    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    listSessions: (agentId) => records.listSessions(agentId),

    async createAgent(input) {
      const configs = await checkConfigs(input)
      const agent = await records.insert({ ...newAgent(input, await freeId(input.name)), ...configs }, input.files)
      // It exists from here on. A copy that cannot be written now is written at the next look.
      await workspace.fill(agent, input.files ?? {}).catch(() => {})
      return tell(agent)
    },
    async updateAgent(id, patch) {
      const { execConfig, personalityConfig } = await checkConfigs(patch)
      const checked = {
        ...patch,
        ...(patch.execConfig === undefined ? {} : { execConfig }),
        ...(patch.personalityConfig === undefined ? {} : { personalityConfig }),
      }
      return tell(await records.update(id, checked))
    },
    async deleteAgent(id) {
      await records.remove(id)
      await workspace.remove(id)
      events.push({ type: 'agent-archived', sourceId: NATIVE_ID, agentId: id })
    },

    async readFile(agentId, name) {
      const revision = await workspace.read(await wantAgent(agentId), name)
      return revision?.content ?? ''
    },
    lookAtFiles: async (agentId) => workspace.look(await wantAgent(agentId)),
    async writeFile(agentId, name, content, options) {
      await workspace.write(await wantAgent(agentId), name, content, options?.baseRevision)
    },

    start: async () => {},
    stop: async () => events.end(),
    // Nothing is ever behind: there is no upstream to be synced with.
    health: async () => ({ state: 'connected', lastSyncAt: null }),
    async sync(): Promise<SyncResult> {
      const unchanged = (await records.list()).length
      return { added: 0, updated: 0, archived: 0, revived: 0, unchanged, at: host.now() }
    },
    events: () => events.subscribe(),
  }
}

/** Loaded when first needed: the schemas would slow the start of a server that makes no agent. */
async function checkConfigs(input: { readonly execConfig?: unknown; readonly personalityConfig?: unknown }) {
  const [{ checkExecConfig }, { checkPersonalityConfig }] = await Promise.all([
    import('./agent-config.ts'),
    import('../host-config.ts'),
  ])
  return {
    execConfig: checkExecConfig(input.execConfig),
    personalityConfig: checkPersonalityConfig(input.personalityConfig),
  }
}

function newAgent(input: CreateAgentInput, id: string) {
  const human = input.participantKind === 'human'
  return {
    id,
    sourceAgentId: id,
    name: input.name,
    emoji: input.emoji ?? null,
    avatarSeed: input.avatarSeed ?? id,
    sessionKey: human ? null : `agent:${id}:main`,
    teamId: input.teamId ?? null,
    participantKind: input.participantKind ?? 'agent',
    runtime: input.runtime ?? (human ? 'human' : NATIVE_ID),
  } as const
}
