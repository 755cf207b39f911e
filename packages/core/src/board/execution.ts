/** One attempt at a task, from its claim on. Its facts are only added, never removed. */
export interface Execution {
  readonly id: string
  readonly taskId: string
  /** Increases with every claim of the task, which identifies reports of earlier attempts. */
  readonly attempt: number
  readonly agentId: string
  readonly startedAt: number
  readonly leaseUntil: number
  /** When its lease expired; null when it has not. */
  readonly lostAt: number | null
  /** Its report at the end. A lost attempt may still send one. */
  readonly report: ExecutionReport | null
}

/**
 * completed: the work can be reviewed. failed: there will be none. blocked: it needs a person. released: the task was
 * given back.
 */
export type ExecutionOutcome = 'completed' | 'failed' | 'blocked' | 'released'

export const EXECUTION_OUTCOMES = [
  'completed',
  'failed',
  'blocked',
  'released',
] as const satisfies readonly ExecutionOutcome[]

/** Written once per attempt and delivered until it is acknowledged. */
export interface ExecutionReport {
  readonly executionId: string
  readonly attempt: number
  readonly outcome: ExecutionOutcome
  /** For people; required for failed and blocked. */
  readonly reason: string | null
  /** null when unknown. */
  readonly costUsd: number | null
  readonly at: number
  /** The attempt was ended from outside, which says nothing about the work: it does not count as fruitless. */
  readonly interrupted?: boolean
}

/** A fact about an attempt. */
export type ExecutionEvent =
  | {
      readonly type: 'claimed'
      readonly executionId: string
      readonly taskId: string
      readonly attempt: number
      readonly agentId: string
      readonly at: number
      readonly leaseUntil: number
    }
  | {
      readonly type: 'renewed'
      readonly executionId: string
      readonly attempt: number
      readonly leaseUntil: number
    }
  /** Its lease expired. */
  | { readonly type: 'expired'; readonly executionId: string; readonly attempt: number; readonly at: number }
  | { readonly type: 'reported'; readonly report: ExecutionReport }

/** The state of an attempt: its report takes precedence over an expired lease. */
export function executionState(execution: Execution): 'running' | 'lost' | ExecutionOutcome {
  return execution.report?.outcome ?? (execution.lostAt === null ? 'running' : 'lost')
}
