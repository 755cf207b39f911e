import type { AgentRecord } from '../agent-record.ts'

type Candidate = Pick<AgentRecord, 'id' | 'teamId'>

/**
 * Returns the universal team leader: the default agent when it is in the fleet, else the first agent without a team,
 * else the first agent. Derived on every read and never stored.
 */
export function identifyBooZero(fleet: readonly Candidate[], defaultId: string | null): string | null {
  const byDefault = defaultId === null ? undefined : fleet.find((agent) => agent.id === defaultId)
  const chosen = byDefault ?? fleet.find((agent) => agent.teamId === null) ?? fleet[0]
  return chosen?.id ?? null
}
