import { type AgentRecord, agentRole } from '@clawboo/core/registry'

/** The line under a Boo's name; undefined when it has none. */
export function roleOf(agent: Pick<AgentRecord, 'personalityConfig'>): string | undefined {
  return agentRole(agent).trim() || undefined
}

/** The configuration with another role and everything else unchanged. */
export function withRole(config: unknown, role: string): Record<string, unknown> {
  const kept = typeof config === 'object' && config !== null && !Array.isArray(config) ? { ...config } : {}
  const { role: _, ...rest } = kept as Record<string, unknown>
  return role === '' ? rest : { ...rest, role }
}

export function seedOf(agent: Pick<AgentRecord, 'avatarSeed' | 'id'>): string {
  return agent.avatarSeed ?? agent.id
}
