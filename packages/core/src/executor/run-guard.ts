import type { RunReason } from './run-reason.ts'

/**
 * The host's decision whether a run may continue. A runtime that makes its own model calls asks before each call and
 * passes the number of the last event it has emitted; the answer counts all costs up to that event.
 */
export interface RunGuard {
  mayCallModel(afterSeq: number): Promise<LimitTripped | null>
}

/** The limit that was reached, and the figure that reached it. */
export interface LimitTripped {
  readonly reason: Extract<RunReason, `${string}_limit`>
  readonly scope: 'run' | 'agent' | 'team' | 'server'
  readonly figure: number
  readonly cap: number
}
