/** A benchmark without a baseline in time: it reports figures, and each bound belongs to one of them. */
export interface FigureBenchmark {
  readonly name: string
  measure(): Promise<FigureReport>
}

export interface FigureReport {
  /** One object per line of output. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** The bounds that were missed, in words. */
  readonly missed: readonly string[]
}

/** Prints the report and returns whether every bound holds. */
export async function runFigures({ name, measure }: FigureBenchmark): Promise<boolean> {
  const { lines, missed } = await measure()
  for (const line of lines) process.stdout.write(`${JSON.stringify({ name, ...line })}\n`)
  for (const bound of missed) process.stderr.write(`bench: ${name}: ${bound}\n`)
  return missed.length === 0
}
