/** A group of Boos that share a room and a board. */
export interface TeamRecord {
  readonly id: string
  readonly name: string
  readonly description: string | null
  /** The team's own lead, used when no Boo Zero exists; null when none is chosen. */
  readonly leadAgentId: string | null
  /** The number of live members, counted at every read. */
  readonly agentCount: number
  /** Dormant: null is the one implicit tenant. */
  readonly tenantId: string | null
  readonly archivedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}
