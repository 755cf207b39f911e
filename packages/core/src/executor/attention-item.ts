/** Something that needs a person, or that a person has to know. Answered once, by one. */
export interface AttentionItem {
  readonly id: string
  /**
   * approval: may it act? limit: a bound stopped a run. message: one could not be delivered. notice: to be read.
   * task: a person is asked to do something, as a task of the board or as a run.
   */
  readonly kind: 'approval' | 'limit' | 'message' | 'notice' | 'task'
  readonly agentId: string | null
  readonly agentName: string | null
  readonly runId: string | null
  /** The approval, the message or the task it is about. */
  readonly subjectId: string | null
  readonly title: string
  readonly detail: string
  /** What would happen, whole; null when nothing would. */
  readonly action: AttentionAction | null
  /** Exactly with the kind `task`. */
  readonly task?: AttentionTask
  /** The answers that are offered. */
  readonly answers: readonly AttentionAnswer[]
  readonly state: 'open' | 'answered' | 'expired'
  readonly answer: AttentionAnswer | null
  readonly answeredBy: string | null
  readonly createdAt: number
  readonly settledAt: number | null
  /** From then on nobody waits for the answer; null = it stays. */
  readonly expiresAt: number | null
}

export interface AttentionAction {
  readonly tool: string
  readonly command: string
  readonly cwd: string
  readonly reason: string
  readonly mayAlwaysAllow: boolean
}

/** What a person is asked to do, besides the words in `title` and `detail`. */
export interface AttentionTask {
  /** Whose board it is on; null = it is on none. */
  readonly teamId: string | null
  /** The name of who asked. */
  readonly askedBy: string
  /** The name of who is asked. */
  readonly askedOf: string
}

/** The last four are to a person's task: accept and answer leave it open, done and refuse settle it. */
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
