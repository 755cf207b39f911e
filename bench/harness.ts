/** One benchmark: our number and a baseline's, measured in turn in the same run. */
export interface Benchmark {
  readonly name: string
  readonly unit: string
  /** What the ratio of value to baseline has to be. */
  readonly bound: { readonly atLeast: number } | { readonly atMost: number }
  /** Fewer than usual for one whose round takes long, more for one that a busy machine scatters. */
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

/** Alternates rounds, so that whatever else the machine does falls on both, and compares medians. */
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
