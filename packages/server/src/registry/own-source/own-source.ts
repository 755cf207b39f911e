import { randomBytes } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import type { LazyRuntime, RuntimeRegistry } from '@clawboo/core/executor'
import {
  type AgentEvent,
  type AgentRecord,
  type AgentSource,
  type CreateAgentInput,
  EventQueue,
  type NewAgent,
  OWN_SOURCE_ID,
  readableSlug,
  type SourceRecords,
  type UpdateAgentInput,
} from '@clawboo/core/registry'
import { createWorkingCopies, type RuntimeFiles, type WorkingCopies } from './working-copies.ts'

interface OwnSourceDependencies {
  readonly records: SourceRecords
  readonly runtimes: RuntimeRegistry
  readonly filesOf: RuntimeFiles
  /** Throws `agent_config_invalid`. */
  readonly checkPersonality: (config: unknown) => Promise<unknown>
  readonly now: () => number
}

/**
 * The source of every agent without an upstream and of every person, whichever runtime runs them. The database is its
 * own upstream, so no write ever waits for one.
 */
export function createOwnSource(dependencies: OwnSourceDependencies): AgentSource {
  const { records } = dependencies
  const copies = createWorkingCopies(dependencies)
  const events = new EventQueue<AgentEvent>()
  return {
    id: OWN_SOURCE_ID,
    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    listSessions: (agentId) => records.listSessions(agentId),
    ...agentWrites(dependencies, copies),
    ...fileAccess(records, copies),
    start: async () => {},
    stop: async () => events.end(),
    // Always in sync: there is no upstream.
    health: async () => ({ state: 'connected', lastSyncAt: null }),
    async sync() {
      const unchanged = (await records.list()).length
      return { added: 0, updated: 0, archived: 0, revived: 0, unchanged, at: dependencies.now() }
    },
    events: () => events.subscribe(),
  }
}

function agentWrites(
  dependencies: OwnSourceDependencies,
  copies: WorkingCopies,
): Pick<AgentSource, 'createAgent' | 'updateAgent' | 'deleteAgent'> {
  const { records } = dependencies
  return {
    async createAgent(input) {
      const runtime = runtimeFor(dependencies.runtimes, input)
      const configs = await checkConfigs(dependencies, input, () => runtime)
      const agent = await records.insert(await newAgent(records, input, runtime, configs), input.files)
      // The agent exists now. If a working copy cannot be written, the next read writes it.
      await copies.fill(agent, input.files ?? {}).catch(() => {})
      return agent
    },
    async updateAgent(id, patch) {
      const agent = await wantAgent(records, id)
      const configs = await checkConfigs(dependencies, patch, () => dependencies.runtimes.get(agent.runtime))
      return records.update(id, { ...patch, ...configs })
    },
    async deleteAgent(id) {
      await records.remove(id)
      await copies.removeHomes(id)
    },
  }
}

function fileAccess(
  records: SourceRecords,
  copies: WorkingCopies,
): Pick<AgentSource, 'readFile' | 'lookAtFiles' | 'writeFile'> {
  return {
    async readFile(agentId, name) {
      const revision = await copies.read(await wantAgent(records, agentId), name)
      return revision?.content ?? ''
    },
    lookAtFiles: async (agentId) => copies.look(await wantAgent(records, agentId)),
    async writeFile(agentId, name, content, options) {
      await copies.write(await wantAgent(records, agentId), name, content, options?.baseRevision)
    },
  }
}

async function wantAgent(records: SourceRecords, id: string): Promise<AgentRecord> {
  const agent = await records.get(id)
  if (!agent) throw new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
  return agent
}

/**
 * Returns the named runtime, or otherwise the first one for this kind of participant that does not manage its own
 * agents.
 */
function runtimeFor(runtimes: RuntimeRegistry, { runtime, participantKind = 'agent' }: CreateAgentInput): LazyRuntime {
  if (runtime !== undefined) {
    const named = runtimes.get(runtime)
    if (named.plan.home !== 'connected') return named
    const message = `${named.descriptor.label} manages its own agents: create the agent there`
    throw new ClawbooError('agent_config_invalid', message, { details: { runtime, field: 'runtime' } })
  }
  const first = runtimes
    .list()
    .find(({ descriptor, plan }) => descriptor.participantKind === participantKind && plan.home !== 'connected')
  if (first) return first
  throw new ClawbooError('runtime_not_found', `there is no runtime for a participant of kind ${participantKind}`)
}

/** Checks only the configs that are in the input. The runtime of the agent checks `execConfig`. */
async function checkConfigs(
  { checkPersonality }: OwnSourceDependencies,
  { execConfig, personalityConfig }: Pick<UpdateAgentInput, 'execConfig' | 'personalityConfig'>,
  runtimeOf: () => LazyRuntime,
) {
  return {
    ...(execConfig === undefined ? {} : { execConfig: await runtimeOf().definition.checkExecConfig(execConfig) }),
    ...(personalityConfig === undefined ? {} : { personalityConfig: await checkPersonality(personalityConfig) }),
  }
}

async function newAgent(
  records: SourceRecords,
  input: CreateAgentInput,
  { id: runtime, descriptor }: LazyRuntime,
  configs: { readonly execConfig?: unknown; readonly personalityConfig?: unknown },
): Promise<NewAgent> {
  const { participantKind } = descriptor
  const isPerson = participantKind === 'human'
  const id = await freeId(
    records,
    isPerson ? 'person' : 'native',
    readableSlug(input.name, isPerson ? 'person' : 'boo'),
  )
  return {
    id,
    sourceAgentId: id,
    name: input.name,
    emoji: input.emoji ?? null,
    avatarSeed: input.avatarSeed ?? id,
    sessionKey: isPerson ? null : `agent:${id}:main`,
    teamId: input.teamId ?? null,
    personalityConfig: configs.personalityConfig ?? null,
    execConfig: configs.execConfig ?? null,
    participantKind,
    runtime,
  }
}

/** Draws again when the id exists: six hex digits can collide in a large fleet with equal names. */
async function freeId(records: SourceRecords, prefix: string, slug: string): Promise<string> {
  const id = `${prefix}-${slug}-${randomBytes(3).toString('hex')}`
  return (await records.get(id)) ? freeId(records, prefix, slug) : id
}
