export type ConnectionState = 'connected' | 'connecting' | 'reconnecting' | 'disconnected'

/** How a source stands with its upstream. Not a boolean: "was connected, is trying again" matters to a person. */
export interface HealthResult {
  readonly state: ConnectionState
  /** Epoch ms of the last completed sync; null = never. */
  readonly lastSyncAt: number | null
  readonly detail?: string
}
