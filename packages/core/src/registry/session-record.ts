/** One past or current conversation of an agent. */
export interface SessionRecord {
  readonly id: string
  readonly agentId: string
  /** The upstream's key for it. */
  readonly sourceSessionId: string
  readonly title: string | null
  /** The beginning of the last message; null when there is none or it is unknown. */
  readonly preview: string | null
  readonly status: 'active' | 'idle' | 'closed'
  readonly createdAt: number
  readonly updatedAt: number
}
