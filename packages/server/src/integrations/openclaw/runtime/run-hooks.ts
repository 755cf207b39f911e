import type { Signal } from '../translate.ts'

/** How the Gateway's part of a run ended. */
export type UpstreamEnd = Pick<Extract<Signal, { type: 'over' }>, 'how' | 'text' | 'problem'>

export interface RunHooks {
  /** Called once, when nothing of the run is active at the Gateway any more. */
  over(end: UpstreamEnd): void
  /** Called when the run is ending and these prompts, or queued ones, would start another run. */
  drop(keys: readonly string[], hasQueued: boolean): void
}

/** Why a run failed. */
export interface Fault {
  readonly reason: 'model_failed' | 'process_died'
  readonly message: string
}
