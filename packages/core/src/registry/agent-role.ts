import type { AgentRecord } from './agent-record.ts'

/** The agent's role from its personality; empty when there is none. */
export function agentRole({ personalityConfig }: Pick<AgentRecord, 'personalityConfig'>): string {
  const role = (personalityConfig as { role?: unknown } | null | undefined)?.role
  return typeof role === 'string' ? role : ''
}
