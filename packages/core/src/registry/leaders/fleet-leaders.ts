import type { AgentRecord } from '../agent-record.ts'
import { identifyBooZero } from './boo-zero.ts'

/** Finds the default agent and Boo Zero among the live agents. A person never leads by default. */
export function fleetLeaders(live: readonly Pick<AgentRecord, 'id' | 'teamId' | 'isDefault' | 'participantKind'>[]): {
  readonly defaultId: string | null
  readonly booZeroId: string | null
} {
  const agents = live.filter((agent) => agent.participantKind === 'agent')
  const defaultId = agents.find((agent) => agent.isDefault)?.id ?? null
  return { defaultId, booZeroId: identifyBooZero(agents, defaultId) }
}
