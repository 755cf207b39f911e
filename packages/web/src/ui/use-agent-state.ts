import type { AgentRecord } from '@clawboo/core/registry'
import { type AgentState, agentState, type StatusFields } from './agent-state.ts'
import { useNow } from './use-now.ts'
import { useValue } from './value-store.ts'
import { waitingAgents } from './waiting-agents.ts'

/** An agent's state as it is now. */
export function useAgentState(agent: StatusFields & Pick<AgentRecord, 'id'>): AgentState {
  const now = useNow()
  return agentState(agent, now, useValue(waitingAgents).has(agent.id))
}
