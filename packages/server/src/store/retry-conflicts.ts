import { setTimeout as sleep } from 'node:timers/promises'

/** How long a write waits for other processes. */
export const DEFAULT_CONFLICT_DEADLINE_MS = 10_000

/** Retries after each conflict until the deadline, then rejects with the last conflict. Waits without blocking the event loop. */
export async function retryConflicts<T>(
  attempt: () => T | Promise<T>,
  isConflict: (error: unknown) => boolean,
  deadlineMs: number,
): Promise<T> {
  const giveUpAt = performance.now() + deadlineMs
  for (let longestWaitMs = 1; ; longestWaitMs = Math.min(longestWaitMs * 2, 32)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConflict(error) || performance.now() >= giveUpAt) throw error
      // Two processes that wait equally long after a collision would collide again, so the wait is random.
      await sleep(Math.random() * longestWaitMs)
    }
  }
}
