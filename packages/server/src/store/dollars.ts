/**
 * Money is stored in whole billionths of a dollar: a token costs fractions of a millionth, and sums of fractions drift.
 */
export function toNanos(usd: number): number {
  return Math.round(usd * 1e9)
}

export function toUsd(nanos: number): number {
  return nanos / 1e9
}
