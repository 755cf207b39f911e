/** One attempt at a task, from its claim on. What is written of it is never taken back. */
export interface Execution {
  readonly id: string
  readonly taskId: string
  /** Counts up with every claim of the task, so that a report of an earlier one is recognised. */
  readonly attempt: number
  readonly agentId: string
  readonly startedAt: number
  readonly leaseUntil: number
  /** When its lease ran out; null = it has not. */
  readonly lostAt: number | null
  /** What it said at its end. One that was lost may still say it. */
  readonly report: ExecutionReport | null
}

/** completed: the work is there to be judged. failed: it will not be. blocked: it needs a person. released: it was given back. */
export type ExecutionOutcome = 'completed' | 'failed' | 'blocked' | 'released'

export const EXECUTION_OUTCOMES = [
  'completed',
  'failed',
  'blocked',
  'released',
] as const satisfies readonly ExecutionOutcome[]

/** Made once for an execution and delivered until it is acknowledged. */
export interface ExecutionReport {
  readonly executionId: string
  readonly attempt: number
  readonly outcome: ExecutionOutcome
  /** For a person; failed and blocked need one. */
  readonly reason: string | null
  /** null = not known. */
  readonly costUsd: number | null
  readonly at: number
  /** It was ended from outside, and that says nothing of the work: such an attempt did not come to nothing. */
  readonly interrupted?: boolean
}

/** A fact about an execution. */
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
  /** Its lease ran out. */
  | { readonly type: 'expired'; readonly executionId: string; readonly attempt: number; readonly at: number }
  | { readonly type: 'reported'; readonly report: ExecutionReport }

/** Where an execution stands: what it said counts more than that its lease ran out. */
export function executionState(execution: Execution): 'running' | 'lost' | ExecutionOutcome {
  return execution.report?.outcome ?? (execution.lostAt === null ? 'running' : 'lost')
}
