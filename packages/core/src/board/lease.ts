/** How long a claim holds without being renewed. */
export const LEASE_MS = 30_000
/** Two renewals may get lost before the third is too late. */
export const LEASE_RENEW_MS = 10_000

export type LeaseState = 'fresh' | 'renew' | 'run_out'

/** Where a lease stands. A time that is not a number has run out. */
export function judgeLease(leaseUntil: number, now: number): LeaseState {
  if (!(now < leaseUntil)) return 'run_out'
  return leaseUntil - now <= LEASE_MS - LEASE_RENEW_MS ? 'renew' : 'fresh'
}

export function leaseFrom(now: number): number {
  return now + LEASE_MS
}
