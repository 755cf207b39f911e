/** How long a claim lasts without a renewal. */
export const LEASE_MS = 30_000
/** Two renewals may be lost before the third is too late. */
export const LEASE_RENEW_MS = 10_000
