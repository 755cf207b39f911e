/** Facts about a session that are not in its transcript. Unknown fields are kept. */
export interface SessionEntry {
  readonly sessionId: string
  /** Milliseconds, like all times here. */
  readonly sessionStartedAt: number
  readonly lastInteractionAt: number
  readonly updatedAt: number
  /** Signatures of the truncation warnings that were shown, newest last. */
  readonly bootstrapWarnings?: readonly string[]
}
