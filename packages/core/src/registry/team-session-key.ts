/** The key of an agent's conversation in one team, so that an agent in several teams keeps them separate. */
export function teamSessionKey(agentId: string, teamId: string): string {
  return `agent:${agentId}:team:${teamId}`
}

/** Parses a team session key; returns null for any other key. */
export function parseTeamSessionKey(key: string): { readonly agentId: string; readonly teamId: string } | null {
  const match = /^agent:(.+):team:([^:]+)$/.exec(key)
  return match ? { agentId: match[1]!, teamId: match[2]! } : null
}
