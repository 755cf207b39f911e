export interface KeptLease {
  /** Renews the lease now, because it may just have been lost. */
  renewNow(): void
  /** Stops renewing. Returns false when the lease was lost or renewing had stopped before. */
  stop(): boolean
}

interface LeaseOptions {
  /** Resolves to false when the lease belongs to another server. */
  renew(): Promise<boolean>
  readonly leaseMs: number
  readonly everyMs: number
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number
  /** The clock's time before the lease was taken. */
  readonly takenAt?: number
  onError(error: unknown): void
  /** Called once, when another server has taken the lease or could take it before the next renewal. */
  onLost(): void
  /** Called after each renewal, whether it succeeded or not. */
  afterRenewal?(): void
}

/** Renews a lease, by the database's clock, until it is stopped or lost. */
export function keepLease(options: LeaseOptions): KeptLease {
  const { leaseMs, everyMs, now = () => performance.now() } = options
  let renewedAt = options.takenAt ?? now()
  let isRenewing = false
  let isStopped = false
  const stop = () => {
    if (isStopped) return false
    isStopped = true
    clearInterval(timer)
    return true
  }
  const lose = () => {
    if (stop()) options.onLost()
  }
  /** Whether the lease can expire before the next renewal. */
  const isTooLate = () => now() + everyMs - renewedAt >= leaseMs
  const renew = async () => {
    if (isStopped) return
    // A renewal that never ends must not keep the lease.
    if (isRenewing) return isTooLate() ? lose() : undefined
    isRenewing = true
    const startedAt = now()
    try {
      if (await options.renew()) renewedAt = startedAt
      else lose()
    } catch (error) {
      options.onError(error)
      if (isTooLate()) lose()
    } finally {
      isRenewing = false
    }
    options.afterRenewal?.()
  }
  const timer = setInterval(() => void renew(), everyMs).unref()
  return { renewNow: () => void renew(), stop }
}
