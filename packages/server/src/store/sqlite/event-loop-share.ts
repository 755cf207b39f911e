export type EventLoopShare = () => Promise<void> | undefined

const LONGEST_BURST_MS = 10

/**
 * SQLite answers within the current task of the event loop, so a long chain of awaited calls would block timers and sockets
 * until it ends. Awaiting this function before each call lets them run every few milliseconds.
 */
export function createEventLoopShare(): EventLoopShare {
  let burstStart: number | undefined
  const endBurst = () => {
    burstStart = undefined
  }
  return () => {
    if (burstStart === undefined) {
      burstStart = performance.now()
      setImmediate(endBurst)
    } else if (performance.now() - burstStart > LONGEST_BURST_MS) {
      return new Promise((resolve) => setImmediate(resolve))
    }
    return undefined
  }
}
