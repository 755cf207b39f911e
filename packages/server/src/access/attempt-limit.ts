const MAX_KEYS = 1000

/** Limits attempts per key with a token bucket: `burst` at once, then one more every `refillMs`. */
export function createAttemptLimit(options: {
  readonly burst: number
  readonly refillMs: number
  readonly now?: () => number
}) {
  const now = options.now ?? Date.now
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    /** Returns false when the key has no attempts left. */
    take(key: string) {
      const at = now()
      const bucket = buckets.get(key) ?? { tokens: options.burst, at }
      const tokens = Math.min(options.burst, bucket.tokens + (at - bucket.at) / options.refillMs)
      buckets.delete(key)
      // Without this bound, a flood of invented keys would exhaust the memory.
      if (buckets.size >= MAX_KEYS) buckets.delete(buckets.keys().next().value!)
      buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at })
      return tokens >= 1
    },
  }
}
