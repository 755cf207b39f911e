/** One conversation an agent has or had. */
export interface SessionRecord {
  readonly id: string
  readonly agentId: string
  /** The upstream's key for it. */
  readonly sourceSessionId: string
  readonly title: string | null
  /** How what was said last begins; null when nothing was, or nobody knows. */
  readonly preview: string | null
  readonly status: 'active' | 'idle' | 'closed'
  readonly createdAt: number
  readonly updatedAt: number
}
