/** What one reconcile did, in agents. All zero = the upstream had nothing new. */
export interface SyncResult {
  readonly added: number
  readonly updated: number
  readonly archived: number
  readonly revived: number
  readonly unchanged: number
  /** Epoch ms when the reconcile was committed. */
  readonly at: number
}
