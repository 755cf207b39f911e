/** The key of an agent's conversation inside one team, so that an agent shared by teams keeps them apart. */
export function teamSessionKey(agentId: string, teamId: string): string {
  return `agent:${agentId}:team:${teamId}`
}

/** Takes a team session key apart; null for any other key. */
export function parseTeamSessionKey(key: string): { readonly agentId: string; readonly teamId: string } | null {
  const match = /^agent:(.+):team:([^:]+)$/.exec(key)
  return match ? { agentId: match[1]!, teamId: match[2]! } : null
}
