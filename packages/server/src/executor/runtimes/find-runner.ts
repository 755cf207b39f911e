import { ClawbooError } from '@clawboo/core'
import type { LazyRuntime, RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../../store/open-store.ts'

export async function wantAgent(store: Store, agentId: string): Promise<AgentRecord> {
  const agent = await store.agents.get(agentId)
  if (!agent) throw agentNotFound(agentId)
  return agent
}

export function agentNotFound(agentId: string): ClawbooError {
  return new ClawbooError('agent_not_found', `there is no agent "${agentId}"`, { details: { agentId } })
}

/** Throws `agent_cannot_run` for an archived agent and for an agent whose runtime is not available. */
export function runtimeOf(runtimes: RuntimeRegistry, agent: AgentRecord): LazyRuntime {
  if (agent.archivedAt !== null)
    throw new ClawbooError('agent_cannot_run', `${agent.displayName} is archived and cannot run`)
  const runtime = runtimes.find(agent.runtime)
  if (!runtime) throw new ClawbooError('agent_cannot_run', `${agent.displayName} has no runtime here that can run it`)
  return runtime
}

/** Throws `model_unknown`. */
export async function wantModel(runtime: LazyRuntime, model: string): Promise<void> {
  const adapter = await runtime.load()
  const problem = await adapter.checkModel?.(model)
  if (problem) throw new ClawbooError('model_unknown', problem, { details: { model } })
}

/** Returns the session key of a message: its own, or that of the agent's main conversation. */
export function sessionKeyOf(agent: AgentRecord, sessionKey: string | undefined): string {
  return sessionKey ?? agent.sessionKey ?? `agent:${agent.id}:main`
}
