/** Dollars for a million tokens. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  /** null = not known: counted like `input`. */
  readonly cacheRead: number | null
  /** null = not known: counted like twice `input`, the dearest that a vendor asks. */
  readonly cacheWrite: number | null
}

export interface ModelPrices extends TokenPrices {
  /** What a call costs, all of it, once it reads more than this many tokens. */
  readonly long?: TokenPrices & { readonly aboveTokens: number }
}

/** `input` leaves out what came from or went to a cache. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** What a call cost; null when the price is not known. */
export function costUsd(tokens: TokenCounts, prices: ModelPrices | null): number | null {
  if (prices === null) return null
  const read = tokens.input + tokens.cacheRead + tokens.cacheWrite
  const rates: TokenPrices = prices.long !== undefined && read > prices.long.aboveTokens ? prices.long : prices
  const sum =
    tokens.input * rates.input +
    tokens.output * rates.output +
    tokens.cacheRead * (rates.cacheRead ?? rates.input) +
    tokens.cacheWrite * (rates.cacheWrite ?? rates.input * 2)
  return sum / 1_000_000
}
