/** What one reconcile did, in agents. All zero = the upstream had nothing new. */
export interface SyncResult {
  readonly added: number
  readonly updated: number
  readonly archived: number
  readonly revived: number
  readonly unchanged: number
  /** Those the upstream lists that could not become agents; absent = none. */
  readonly refused?: readonly RefusedAgent[]
  /** Epoch ms when the reconcile was committed. */
  readonly at: number
}

export interface RefusedAgent {
  readonly sourceAgentId: string
  /** For a person. */
  readonly reason: string
}
