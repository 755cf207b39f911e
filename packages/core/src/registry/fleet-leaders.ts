import type { AgentRecord } from './agent-record.ts'
import { identifyBooZero } from './boo-zero.ts'

/** Who the fleet's default agent and Boo Zero are, among its live agents. A person leads nobody unasked. */
export function fleetLeaders(live: readonly Pick<AgentRecord, 'id' | 'teamId' | 'isDefault' | 'participantKind'>[]): {
  readonly defaultId: string | null
  readonly booZeroId: string | null
} {
  const agents = live.filter((agent) => agent.participantKind === 'agent')
  const defaultId = agents.find((agent) => agent.isDefault)?.id ?? null
  return { defaultId, booZeroId: identifyBooZero(agents, defaultId) }
}
