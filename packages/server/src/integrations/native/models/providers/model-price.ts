/** Dollars per million tokens. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  /** null = unknown: counted as `input`. */
  readonly cacheRead: number | null
  /** null = unknown: counted as twice `input`, the highest price of any vendor. */
  readonly cacheWrite: number | null
}

export interface ModelPrices extends TokenPrices {
  /** The prices of the whole call if it reads more than this many tokens. */
  readonly long?: TokenPrices & { readonly aboveTokens: number }
}

/** `input` does not include cached tokens. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** The cost of a call; null = unknown price. */
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
