/** One agent as an upstream lists it: exactly the fields that a sync may write. */
export interface UpstreamAgent {
  readonly sourceAgentId: string
  /** null when the upstream has no name for it. */
  readonly name: string | null
  readonly emoji: string | null
  readonly avatarUrl: string | null
  readonly sessionKey: string | null
  readonly isDefault: boolean
}
