import type { AgentRecord } from '@clawboo/core/registry'
import { waitingAgents } from '../../api/waiting-agents.ts'
import { useNow } from '../../ui/state/use-now.ts'
import { useValue } from '../../ui/state/value-store.ts'
import { type AgentState, agentState, type StatusFields } from './agent-state.ts'

/** An agent's current state. */
export function useAgentState(agent: StatusFields & Pick<AgentRecord, 'id'>): AgentState {
  const now = useNow()
  return agentState(agent, now, useValue(waitingAgents).has(agent.id))
}
