/** One attempt at a task, from its claim on. Its facts are only added, never removed. */
export interface Attempt {
  readonly id: string
  readonly taskId: string
  /** Increases with every claim of the task, which identifies reports of earlier attempts. */
  readonly number: number
  readonly agentId: string
  readonly startedAt: number
  readonly leaseUntil: number
  /** When its lease expired; null when it has not. */
  readonly lostAt: number | null
  /** Its report at the end. A lost attempt may still send one. */
  readonly report: AttemptReport | null
}

/**
 * completed: the work can be reviewed. failed: there will be none. blocked: it needs a person. released: the task was
 * given back.
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

/** A fact about an attempt. */
export type AttemptEvent =
  | {
      readonly type: 'claimed'
      readonly attemptId: string
      readonly taskId: string
      readonly attempt: number
      readonly agentId: string
      readonly at: number
      readonly leaseUntil: number
    }
  | {
      readonly type: 'renewed'
      readonly attemptId: string
      readonly attempt: number
      readonly leaseUntil: number
    }
  /** Its lease expired. */
  | { readonly type: 'expired'; readonly attemptId: string; readonly attempt: number; readonly at: number }
  | { readonly type: 'reported'; readonly report: AttemptReport }

/** The state of an attempt: its report takes precedence over an expired lease. */
export function attemptState(attempt: Attempt): 'running' | 'lost' | AttemptOutcome {
  return attempt.report?.outcome ?? (attempt.lostAt === null ? 'running' : 'lost')
}
