import type { AgentRecord } from './agent-record.ts'

/** The line that says what an agent does, as its personality carries it; empty when it carries none. */
export function agentRole({ personalityConfig }: Pick<AgentRecord, 'personalityConfig'>): string {
  const role = (personalityConfig as { role?: unknown } | null | undefined)?.role
  return typeof role === 'string' ? role : ''
}
