import type { RunReason } from './run-reason.ts'

/**
 * The host's word on whether a run may go on. A runtime that makes its own model calls asks before each of them and says
 * up to which event it has told of its spending; the answer takes everything until there into account.
 */
export interface RunGuard {
  mayCallModel(afterSeq: number): Promise<LimitTripped | null>
}

/** Which limit, at which figure. */
export interface LimitTripped {
  readonly reason: Extract<RunReason, `${string}_limit`>
  readonly scope: 'run' | 'agent' | 'team' | 'server'
  readonly figure: number
  readonly cap: number
}
