import type { LimitTripped, RunGuard } from '@clawboo/core/executor'
import { orAborted } from '../or-aborted.ts'

/** Asks the guard whether one more model call is allowed. Resolves to null at once when the run is aborted. */
export async function askGuard(guard: RunGuard, afterSeq: number, signal: AbortSignal): Promise<LimitTripped | null> {
  if (signal.aborted) return null
  const tripped = await orAborted(guard.mayCallModel(afterSeq), signal)
  return tripped === 'aborted' ? null : tripped
}
