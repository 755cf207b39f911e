/** Something that needs a person, or that a person has to know. Answered once, by one. */
export interface AttentionItem {
  readonly id: string
  /** approval: may it act? limit: a bound stopped a run. message: one could not be delivered. notice: to be read. */
  readonly kind: 'approval' | 'limit' | 'message' | 'notice'
  readonly agentId: string | null
  readonly agentName: string | null
  readonly runId: string | null
  /** The approval or the message it is about. */
  readonly subjectId: string | null
  readonly title: string
  readonly detail: string
  /** What would happen, whole; null when nothing would. */
  readonly action: AttentionAction | null
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

export const ATTENTION_ANSWERS = ['allow-once', 'allow-always', 'deny', 'dismiss', 'retry'] as const

export type AttentionAnswer = (typeof ATTENTION_ANSWERS)[number]
