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

/** What a run has spent so far, and the answer to whether it may go on. */
export interface LiveRunGuard extends RunGuard {
  /** To be called for every event, in order, after all that it brings about is done. */
  handled(seq: number): void
  /** Counts a call; resolves when the budgets know of it. */
  spent(cost: CostEvent): Promise<LimitTripped | null>
  /** Lets whoever still waits go: the stream has ended. */
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
  const waiting: { readonly seq: number; readonly go: () => void }[] = []

  const verdict = async () => trippedRunLimit(limits, total) ?? trippedBudget(budgets, await book.today())
  const letGo = (until: number) => {
    for (let at = waiting.length - 1; at >= 0; at -= 1) {
      if (waiting[at]!.seq <= until) waiting.splice(at, 1)[0]!.go()
    }
  }
  return {
    async mayCallModel(afterSeq) {
      if (handledSeq < afterSeq) await new Promise<void>((go) => waiting.push({ seq: afterSeq, go }))
      return verdict()
    },
    handled(seq) {
      handledSeq = seq
      letGo(seq)
    },
    async spent(cost) {
      const usd = countedUsd(cost, limits.unknownPriceUsdPerMillionTokens)
      total.modelCalls += 1
      total.tokens += cost.inputTokens + cost.outputTokens
      total.usd += usd
      await book.add({ usd, inputTokens: cost.inputTokens, outputTokens: cost.outputTokens })
      return verdict()
    },
    release: () => letGo(Number.POSITIVE_INFINITY),
  }
}
