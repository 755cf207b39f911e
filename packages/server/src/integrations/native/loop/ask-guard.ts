import type { LimitTripped, RunGuard } from '@clawboo/core/executor'

/** What the guard says about one more model call; null as soon as the run is aborted, whatever it would have said. */
export function askGuard(guard: RunGuard, afterSeq: number, signal: AbortSignal): Promise<LimitTripped | null> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(null)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    guard
      .mayCallModel(afterSeq)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}
