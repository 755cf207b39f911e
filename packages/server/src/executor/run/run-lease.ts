/** A run belongs to its server for this long after the last renewal. After that any server may settle it. */
export const RUN_LEASE_MS = 60_000
export const RUN_RENEW_MS = 20_000
