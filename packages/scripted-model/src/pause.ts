/** Waits; returns true when the time has passed, false when the signal fired first. Infinity waits for the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = Number.isFinite(ms) ? setTimeout(() => settle(true), ms) : undefined
    const stop = () => settle(false)
    const settle = (passed: boolean) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(passed)
    }
    signal?.addEventListener('abort', stop)
  })
}
