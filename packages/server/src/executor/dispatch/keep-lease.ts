import { LEASE_MS, LEASE_RENEW_MS } from '@clawboo/core/board'
import type { Claims } from '../../board/claims.ts'
import type { Log } from '../../log.ts'

export interface KeptLease {
  /** Looks at once: the task may have been taken back. */
  look(): void
  stop(): void
}

/** Renews an attempt's lease until it is told to stop. `lost` is called once, when the attempt is not ours any more. */
export function keepLease(options: {
  readonly claims: Pick<Claims, 'renew'>
  readonly execution: { readonly id: string; readonly attempt: number }
  readonly log: Log
  readonly everyMs?: number | undefined
  readonly now?: () => number
  readonly lost: () => void
}): KeptLease {
  const { claims, execution, log, everyMs = LEASE_RENEW_MS, now = () => performance.now() } = options
  let renewedAt = now()
  let looking = false
  let stopped = false
  const lose = () => {
    if (stopped) return
    stop()
    options.lost()
  }
  // Before the next look somebody else may have it.
  const isTooLate = () => now() + everyMs - renewedAt >= LEASE_MS
  const look = async () => {
    // A store that does not even refuse must not keep the work going.
    if (looking && isTooLate()) return lose()
    if (looking || stopped) return
    looking = true
    const askedAt = now()
    try {
      if (await claims.renew(execution)) renewedAt = askedAt
      else lose()
    } catch (error) {
      log.warn('a lease was not renewed', { executionId: execution.id, error })
      if (isTooLate()) lose()
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  const stop = () => {
    stopped = true
    clearInterval(timer)
  }
  return { look: () => void look(), stop }
}
