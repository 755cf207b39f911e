/** One attempt at a task, from its claim on. Its facts are only added, never removed. */
export interface Attempt {
  readonly id: string
  readonly taskId: string
  /** Increases with every claim of the task, so that a report of an earlier attempt can be recognised. */
  readonly number: number
  readonly agentId: string
  readonly startedAt: number
  readonly leaseUntil: number
  /** When its lease expired; null when it has not. */
  readonly lostAt: number | null
  /** The report of the attempt. A lost attempt may still send one. */
  readonly report: AttemptReport | null
}

/**
 * completed: the work can be reviewed. failed: there is no usable work. blocked: the task needs a person. released: the
 * task returns to To do.
 */
export type AttemptOutcome = 'completed' | 'failed' | 'blocked' | 'released'

export const ATTEMPT_OUTCOMES = [
  'completed',
  'failed',
  'blocked',
  'released',
] as const satisfies readonly AttemptOutcome[]

/** Written once per attempt and delivered until it is acknowledged. */
export interface AttemptReport {
  readonly attemptId: string
  readonly attempt: number
  readonly outcome: AttemptOutcome
  /** For people; required for failed and blocked. */
  readonly reason: string | null
  /** null when unknown. */
  readonly costUsd: number | null
  readonly at: number
  /** The attempt was ended from outside, which says nothing about the work: it does not count as fruitless. */
  readonly interrupted?: boolean
}

/** A lost attempt has no report, and its lease has expired or a person took the task back. */
export type AttemptState = 'running' | 'lost' | AttemptOutcome

/** How long a claim lasts without a renewal. */
export const LEASE_MS = 30_000
/** Two renewals may be lost before the third is too late. */
export const LEASE_RENEW_MS = 10_000
