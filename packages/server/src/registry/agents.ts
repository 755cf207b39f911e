import { ClawbooError } from '@clawboo/core'
import type { RuntimeRegistry } from '@clawboo/core/executor'
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

/** One agent at a time: every call goes to the source that owns it. */
export interface Agents {
  get(id: string): Promise<AgentRecord>
  create(input: CreateAgentInput & { readonly sourceId?: string }): Promise<AgentRecord>
  update(id: string, patch: UpdateAgentInput): Promise<AgentRecord>
  remove(id: string): Promise<void>
  /** Changes what runs the agent and nothing else. The new runtime must accept its `execConfig`. */
  move(id: string, runtime: RuntimeId): Promise<AgentRecord>
  sessions(id: string): Promise<SessionRecord[]>
  /** The owner of an agent. Throws `agent_not_found`, and `source_not_found` when nothing serves its source any more. */
  sourceOf(id: string): Promise<AgentSource>
}

export interface AgentsDependencies {
  readonly store: Store
  readonly registry: AgentRegistry
  readonly recordsOf: (sourceId: RuntimeId) => SourceRecords
  readonly runtimes: RuntimeRegistry
  /**
   * Ends what the agent is doing; after it nothing may write to what is about to go. The answer is called when the
   * removal is over, also when it failed, and never rejects.
   */
  readonly beforeRemove?: (id: string) => Promise<() => Promise<void>>
}

export function createAgents(dependencies: AgentsDependencies): Agents {
  const { store, registry, recordsOf, runtimes, beforeRemove } = dependencies
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
  const checkRuntime = (runtime: RuntimeId, participant: ParticipantKind) => {
    const { participantKind: kind } = runtimes.get(runtime).descriptor
    if (kind === participant) return
    throw new ClawbooError('agent_config_invalid', `runtime "${runtime}" is for a participant of kind ${kind}`, {
      details: { runtime, field: 'runtime' },
    })
  }
  /** The agents of such a runtime live with it: it runs no others, and nothing else runs its own. */
  const keepsItsOwn = (runtime: RuntimeId) => runtimes.find(runtime)?.plan.home === 'connected'

  const checkHome = (agent: AgentRecord, runtime: RuntimeId) => {
    const keeper = agent.sourceId === runtime ? undefined : [agent.sourceId, runtime].find(keepsItsOwn)
    if (keeper === undefined) return
    const words = `the agents of ${keeper} live with it: ${agent.displayName} cannot be moved from ${agent.sourceId} to ${runtime}`
    throw new ClawbooError('agent_config_invalid', words, { details: { runtime, field: 'runtime' } })
  }

  /** An agent of a runtime with an upstream is made there, every other one in Clawboo's own source. */
  const sourceFor = ({ runtime }: CreateAgentInput) =>
    (runtime === undefined ? undefined : registry.get(runtime)) ?? registry.default()

  return {
    get,
    sourceOf,
    async create({ sourceId, ...input }) {
      if (input.runtime !== undefined) checkRuntime(input.runtime, input.participantKind ?? 'agent')
      const source = sourceId === undefined ? sourceFor(input) : sourceNamed(sourceId)
      return source.createAgent(input)
    },
    update: async (id, patch) => (await sourceOf(id)).updateAgent(id, patch),
    async remove(id) {
      const source = await sourceOf(id)
      const afterRemove = await beforeRemove?.(id)
      try {
        await source.archiveAgent(id)
      } finally {
        await afterRemove?.()
      }
    },
    async move(id, runtime) {
      const agent = await get(id)
      checkRuntime(runtime, agent.participantKind)
      if (agent.runtime === runtime) return agent
      checkHome(agent, runtime)
      await runtimes.get(runtime).definition.checkExecConfig(agent.execConfig)
      // Read before and after: edits in the old working copies become revisions, and the new copies are written.
      const source = sourceNamed(agent.sourceId)
      for (const name of AGENT_FILE_NAMES) await source.readFile(id, name)
      const moved = await recordsOf(agent.sourceId).update(id, { runtime })
      for (const name of AGENT_FILE_NAMES) await source.readFile(id, name)
      return moved
    },
    sessions: async (id) => (await sourceOf(id)).listSessions(id),
  }
}
