/** One agent as an upstream lists it. Everything a sync may write about an agent is here, and nothing else is. */
export interface UpstreamAgent {
  readonly sourceAgentId: string
  /** null = the upstream gives it no name. */
  readonly name: string | null
  readonly emoji: string | null
  readonly avatarUrl: string | null
  readonly sessionKey: string | null
  readonly isDefault: boolean
}
