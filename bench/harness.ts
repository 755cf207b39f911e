/** One benchmark: the product and a baseline, measured alternately in the same run. */
export interface Benchmark {
  readonly name: string
  readonly unit: string
  /** The required ratio of value to baseline. */
  readonly bound: { readonly atLeast: number } | { readonly atMost: number }
  /** The number of rounds: fewer if they are long, more if they vary on a busy machine. */
  readonly rounds?: number
  /** Sets up once; each call of `value` and `baseline` is one round. */
  open(): Promise<{ value(): Promise<number>; baseline(): Promise<number>; close(): Promise<void> }>
}

export interface Result {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline: number
  readonly ratio: number
}

export const ROUNDS = 7

/** Alternates rounds, so that other load on the machine affects both, and compares medians. */
export async function runBenchmark(benchmark: Benchmark, rounds: number = benchmark.rounds ?? ROUNDS): Promise<Result> {
  const { value, baseline, close } = await benchmark.open()
  try {
    await value()
    await baseline()
    const values: number[] = []
    const baselines: number[] = []
    for (let round = 0; round < rounds; round++) {
      values.push(await value())
      baselines.push(await baseline())
    }
    const [ours, theirs] = [median(values), median(baselines)]
    return {
      name: benchmark.name,
      value: rounded(ours),
      unit: benchmark.unit,
      baseline: rounded(theirs),
      ratio: rounded(ours / theirs),
    }
  } finally {
    await close()
  }
}

export function holds(bound: Benchmark['bound'], ratio: number): boolean {
  return 'atLeast' in bound ? ratio >= bound.atLeast : ratio <= bound.atMost
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

function rounded(number: number): number {
  return Number(number.toPrecision(4))
}
