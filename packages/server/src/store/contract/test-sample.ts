/** With CLAWBOO_SOAK=1, the suites run their full counts. Otherwise each suite runs a sample of a few seconds. */
export function sampleSize(usual: number, soak: number): number {
  return process.env.CLAWBOO_SOAK === '1' ? soak : usual
}

/** The same seed repeats the same choices. Every assertion on random choices prints the seed. */
export const TEST_SEED = Number(process.env.CLAWBOO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** A repeatable stream of numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
