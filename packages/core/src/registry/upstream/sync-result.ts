/** The result of one sync, in numbers of agents. All zero when the upstream had no changes. */
export interface SyncResult {
  readonly added: number
  readonly updated: number
  readonly archived: number
  readonly revived: number
  readonly unchanged: number
  /** The entries of the upstream that could not become agents; absent when there are none. */
  readonly refused?: readonly RefusedAgent[]
  /** Epoch ms of the commit. */
  readonly at: number
}

export interface RefusedAgent {
  readonly sourceAgentId: string
  /** For people. */
  readonly reason: string
}
