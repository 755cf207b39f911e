import { ClawbooError } from '@clawboo/core'
import {
  AGENT_FILE_NAMES,
  type AgentRecord,
  type AgentRegistry,
  type AgentSource,
  type CreateAgentInput,
  type ParticipantKind,
  type RuntimeId,
  type SessionRecord,
  type SourceRecords,
  type UpdateAgentInput,
} from '@clawboo/core/registry'
import type { Store } from '../store/open-store.ts'

/** Changes to single agents; each call goes to the source that owns the agent. */
export interface Agents {
  get(id: string): Promise<AgentRecord>
  create(input: CreateAgentInput & { readonly sourceId?: string }): Promise<AgentRecord>
  update(id: string, patch: UpdateAgentInput): Promise<AgentRecord>
  remove(id: string): Promise<void>
  /** Changes only its runtime. */
  move(id: string, runtime: RuntimeId): Promise<AgentRecord>
  sessions(id: string): Promise<SessionRecord[]>
  /**
   * The source that owns the agent. Throws `agent_not_found`, and `source_not_found` when its source is no longer
   * available.
   */
  sourceOf(id: string): Promise<AgentSource>
}

export interface AgentsDependencies {
  readonly store: Store
  readonly registry: AgentRegistry
  readonly recordsOf: (sourceId: RuntimeId) => SourceRecords
  /** The available runtimes and their participant kind. */
  readonly runtimes: ReadonlyMap<RuntimeId, ParticipantKind>
  /** True for a runtime that owns its agents: it runs no others, and no other runtime runs them. */
  readonly keepsItsOwn?: (runtime: RuntimeId) => boolean
  /**
   * Ends the agent's work; afterwards nothing may write to its data. Call the returned function when the removal is
   * over, even if it failed; it never rejects.
   */
  readonly beforeRemove?: (id: string) => Promise<() => Promise<void>>
}

export function createAgents(dependencies: AgentsDependencies): Agents {
  const { store, registry, recordsOf, runtimes, beforeRemove, keepsItsOwn = () => false } = dependencies
  const get = async (id: string) => {
    const agent = await store.agents.get(id)
    if (!agent) throw new ClawbooError('agent_not_found', `there is no agent "${id}"`, { details: { agentId: id } })
    return agent
  }
  const sourceOf = async (id: string) => sourceNamed((await get(id)).sourceId)
  const sourceNamed = (sourceId: RuntimeId) => {
    const source = registry.get(sourceId)
    if (!source)
      throw new ClawbooError('source_not_found', `there is no source "${sourceId}"`, { details: { sourceId } })
    return source
  }
  /** Chooses the source that belongs to the runtime, or the source of people for a person, or else the first. */
  const sourceFor = ({ participantKind, runtime }: CreateAgentInput) => {
    const own = runtime ?? (participantKind === 'human' ? firstRuntimeOf(runtimes, participantKind) : undefined)
    return (own === undefined ? undefined : registry.get(own)) ?? registry.default()
  }

  return {
    get,
    sourceOf,
    async create({ sourceId, ...input }) {
      if (input.runtime !== undefined) checkRuntime(runtimes, input.runtime, input.participantKind ?? 'agent')
      const source = sourceId === undefined ? sourceFor(input) : sourceNamed(sourceId)
      return source.createAgent(input)
    },
    update: async (id, patch) => (await sourceOf(id)).updateAgent(id, patch),
    async remove(id) {
      const source = await sourceOf(id)
      const afterRemove = await beforeRemove?.(id)
      try {
        await source.deleteAgent(id)
      } finally {
        await afterRemove?.()
      }
    },
    async move(id, runtime) {
      const agent = await get(id)
      checkRuntime(runtimes, runtime, agent.participantKind)
      if (agent.runtime === runtime) return agent
      checkHome(agent, runtime, keepsItsOwn)
      // Stores the agent's edits of its working copies as revisions first.
      const source = sourceNamed(agent.sourceId)
      for (const name of AGENT_FILE_NAMES) await source.readFile(id, name)
      const moved = await recordsOf(agent.sourceId).update(id, { runtime })
      for (const name of AGENT_FILE_NAMES) await source.readFile(id, name)
      return moved
    },
    sessions: async (id) => (await sourceOf(id)).listSessions(id),
  }
}

type Runtimes = AgentsDependencies['runtimes']

function checkRuntime(runtimes: Runtimes, runtime: RuntimeId, participant: ParticipantKind): void {
  const kind = runtimes.get(runtime)
  if (kind === participant) return
  const details = { runtime, field: 'runtime' }
  if (kind !== undefined) {
    const message = `the runtime "${runtime}" is for participants of kind ${kind}`
    throw new ClawbooError('agent_config_invalid', message, { details })
  }
  const message = `there is no runtime "${runtime}"; choose one of ${[...runtimes.keys()].join(', ')}`
  throw new ClawbooError('runtime_not_found', message, { details })
}

function checkHome(agent: AgentRecord, runtime: RuntimeId, keepsItsOwn: (runtime: RuntimeId) => boolean): void {
  const keeper = agent.sourceId === runtime ? undefined : [agent.sourceId, runtime].find(keepsItsOwn)
  if (keeper === undefined) return
  const message = `${keeper} runs only its own agents: ${agent.displayName} cannot move from ${agent.sourceId} to ${runtime}`
  throw new ClawbooError('agent_config_invalid', message, { details: { runtime, field: 'runtime' } })
}

function firstRuntimeOf(runtimes: Runtimes, participant: ParticipantKind): RuntimeId | undefined {
  return [...runtimes].find(([, kind]) => kind === participant)?.[0]
}
