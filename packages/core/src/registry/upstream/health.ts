export type ConnectionState = 'connected' | 'connecting' | 'reconnecting' | 'disconnected'

/**
 * The connection of a source to its upstream. Not a boolean, because "was connected, is reconnecting" matters to a
 * person.
 */
export interface HealthResult {
  readonly state: ConnectionState
  /** Epoch ms of the last completed sync; null when never. */
  readonly lastSyncAt: number | null
  readonly detail?: string
}
