/** Something that needs a person's decision or attention. It is answered once. */
export interface AttentionItem {
  readonly id: string
  /**
   * approval: may the agent act? limit: a limit stopped a run. message: a message could not be delivered. notice:
   * information only. task: work for a person, from the board or from a run.
   */
  readonly kind: 'approval' | 'limit' | 'message' | 'notice' | 'task'
  readonly agentId: string | null
  readonly agentName: string | null
  readonly runId: string | null
  /** The id of the approval, message or task. */
  readonly subjectId: string | null
  readonly title: string
  readonly detail: string
  /** The complete action to approve; null when there is none. */
  readonly action: AttentionAction | null
  /** Present exactly when the kind is `task`. */
  readonly task?: AttentionTask
  /** The answers that a person can choose. */
  readonly answers: readonly AttentionAnswer[]
  readonly state: 'open' | 'answered' | 'expired'
  readonly answer: AttentionAnswer | null
  readonly answeredBy: string | null
  readonly createdAt: number
  readonly settledAt: number | null
  /** When the item stops waiting for an answer; null = never. */
  readonly expiresAt: number | null
}

export interface AttentionAction {
  readonly tool: string
  readonly command: string
  readonly cwd: string
  readonly reason: string
  readonly mayAlwaysAllow: boolean
}

/** The work for a person, in addition to `title` and `detail`. */
export interface AttentionTask {
  /** The team of the board; null = not on a board. */
  readonly teamId: string | null
  /** The name of the requester. */
  readonly askedBy: string
  /** The name of the assigned person. */
  readonly askedOf: string
}

/** The last four are for a person's task: `accept` and `answer` leave the item open, `done` and `refuse` settle it. */
export const ATTENTION_ANSWERS = [
  'allow-once',
  'allow-always',
  'deny',
  'dismiss',
  'retry',
  'accept',
  'answer',
  'done',
  'refuse',
] as const

export type AttentionAnswer = (typeof ATTENTION_ANSWERS)[number]
