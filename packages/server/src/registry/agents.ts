import { ClawbooError } from '@clawboo/core'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import {
  AGENT_FILE_NAMES,
  type AgentRecord,
  type AgentRegistry,
  type CreateAgentInput,
  type ParticipantKind,
  type RuntimeId,
  type SourceRecords,
  type UpdateAgentInput,
} from '@clawboo/core/registry'
import type { Store } from '../store/open-store.ts'

export type Agents = ReturnType<typeof createAgents>

interface AgentsDependencies {
  readonly store: Store
  readonly registry: AgentRegistry
  readonly recordsOf: (sourceId: RuntimeId) => SourceRecords
  readonly runtimes: RuntimeRegistry
  /**
   * Ends the agent's work, so that no code writes to its data. Call the returned function after the removal, even if
   * the removal failed; it never rejects.
   */
  readonly beforeRemove?: (id: string) => Promise<() => Promise<void>>
}

/** Changes to single agents; each call goes to the source that owns the agent. */
export function createAgents(dependencies: AgentsDependencies) {
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
  /** Creates an agent of a runtime with an upstream there, and every other agent in Clawboo's own source. */
  const sourceFor = ({ runtime }: CreateAgentInput) =>
    (runtime === undefined ? undefined : registry.get(runtime)) ?? registry.default()

  return {
    get,
    /**
     * Returns the source that owns the agent. Throws `agent_not_found`, and `source_not_found` when the source is no
     * longer available.
     */
    sourceOf,
    async create({ sourceId, ...input }: CreateAgentInput & { readonly sourceId?: string }) {
      if (input.runtime !== undefined) checkRuntime(runtimes, input.runtime, input.participantKind ?? 'agent')
      const source = sourceId === undefined ? sourceFor(input) : sourceNamed(sourceId)
      return source.createAgent(input)
    },
    update: async (id: string, patch: UpdateAgentInput) => (await sourceOf(id)).updateAgent(id, patch),
    async remove(id: string) {
      const source = await sourceOf(id)
      const afterRemove = await beforeRemove?.(id)
      try {
        await source.deleteAgent(id)
      } finally {
        await afterRemove?.()
      }
    },
    /** Changes only the runtime of the agent. The new runtime must accept its `execConfig`. */
    async move(id: string, runtime: RuntimeId) {
      const agent = await get(id)
      checkRuntime(runtimes, runtime, agent.participantKind)
      if (agent.runtime === runtime) return agent
      checkHome(runtimes, agent, runtime)
      await runtimes.get(runtime).definition.checkExecConfig(agent.execConfig)
      // Read before and after: edits in the old working copies become revisions, and the new copies are written.
      const source = sourceNamed(agent.sourceId)
      for (const name of AGENT_FILE_NAMES) await source.readFile(id, name)
      const moved = await recordsOf(agent.sourceId).update(id, { runtime })
      for (const name of AGENT_FILE_NAMES) await source.readFile(id, name)
      return moved
    },
    sessions: async (id: string) => (await sourceOf(id)).listSessions(id),
  }
}

function checkRuntime(runtimes: RuntimeRegistry, runtime: RuntimeId, participant: ParticipantKind): void {
  const { participantKind: kind } = runtimes.get(runtime).descriptor
  if (kind === participant) return
  const message = `the runtime "${runtime}" is for participants of kind ${kind}`
  throw new ClawbooError('agent_config_invalid', message, { details: { runtime, field: 'runtime' } })
}

/**
 * Throws when the move would break this rule: a runtime with a connected home runs only its own agents, and no other
 * runtime runs them.
 */
function checkHome(runtimes: RuntimeRegistry, agent: AgentRecord, runtime: RuntimeId): void {
  const keepsItsOwn = (id: RuntimeId) => runtimes.find(id)?.plan.home === 'connected'
  const keeper = agent.sourceId === runtime ? undefined : [agent.sourceId, runtime].find(keepsItsOwn)
  if (keeper === undefined) return
  const message = `${keeper} manages its own agents: ${agent.displayName} cannot be moved from ${agent.sourceId} to ${runtime}`
  throw new ClawbooError('agent_config_invalid', message, { details: { runtime, field: 'runtime' } })
}
