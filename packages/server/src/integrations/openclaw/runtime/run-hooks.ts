import type { Signal } from '../translate.ts'

/** How the Gateway's part of a run ended. */
export type UpstreamEnd = Pick<Extract<Signal, { type: 'over' }>, 'how' | 'text' | 'problem'>

export interface RunHooks {
  /** Nothing of it is under way at the Gateway any more. Called once. */
  over(end: UpstreamEnd): void
  /** The run is ending, and these would begin a run of their own; so would what is queued. */
  drop(keys: readonly string[], hasQueued: boolean): void
}

/** Why a run did not come to its end. */
export interface Fault {
  readonly reason: 'model_failed' | 'process_died'
  readonly message: string
}
