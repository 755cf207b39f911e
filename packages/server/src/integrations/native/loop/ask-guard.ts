import type { LimitTripped, RunGuard } from '@clawboo/core/executor'

/** Asks the guard whether one more model call is allowed. Resolves to null at once when the run is aborted. */
export function askGuard(guard: RunGuard, afterSeq: number, signal: AbortSignal): Promise<LimitTripped | null> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(null)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    guard
      .mayCallModel(afterSeq)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp))
  })
}
