import {
  type CostEvent,
  countedUsd,
  type DailyBudgets,
  type LimitTripped,
  type RunGuard,
  type RunLimits,
  trippedBudget,
  trippedRunLimit,
} from '@clawboo/core/executor'

/** Counts the spending of a run, and decides whether the run may continue. */
export interface LiveRunGuard extends RunGuard {
  /** Call this for every event, in order, when the event has been handled completely. */
  handled(seq: number): void
  /** Counts a model call. Resolves when the budgets include it. */
  spent(cost: CostEvent): Promise<LimitTripped | null>
  /** Call this when the stream has ended: no event will follow that a check could wait for. */
  release(): void
}

export interface SpendBook {
  add(cost: { readonly usd: number; readonly inputTokens: number; readonly outputTokens: number }): Promise<void>
  today(): Promise<{ readonly agentUsd: number; readonly teamUsd: number | null; readonly serverUsd: number }>
}

export function createLiveRunGuard(options: {
  readonly limits: RunLimits
  readonly budgets: DailyBudgets
  readonly book: SpendBook
}): LiveRunGuard {
  const { limits, budgets, book } = options
  const total = { modelCalls: 0, tokens: 0, usd: 0 }
  let handledSeq = 0
  const waiting: { readonly seq: number; readonly resume: () => void }[] = []

  const verdict = async () => trippedRunLimit(limits, total) ?? trippedBudget(budgets, await book.today())
  const resumeUpTo = (seq: number) => {
    for (let at = waiting.length - 1; at >= 0; at -= 1) {
      if (waiting[at]!.seq <= seq) waiting.splice(at, 1)[0]!.resume()
    }
  }
  return {
    async mayCallModel(afterSeq) {
      if (handledSeq < afterSeq) await new Promise<void>((resume) => waiting.push({ seq: afterSeq, resume }))
      return verdict()
    },
    handled(seq) {
      handledSeq = seq
      resumeUpTo(seq)
    },
    async spent(cost) {
      const usd = countedUsd(cost, limits.unknownPriceUsdPerMillionTokens)
      total.modelCalls += 1
      total.tokens += cost.inputTokens + cost.outputTokens
      total.usd += usd
      await book.add({ usd, inputTokens: cost.inputTokens, outputTokens: cost.outputTokens })
      return verdict()
    },
    release: () => resumeUpTo(Number.POSITIVE_INFINITY),
  }
}
