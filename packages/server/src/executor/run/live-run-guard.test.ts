import { type CostEvent, DEFAULT_DAILY_BUDGETS, DEFAULT_RUN_LIMITS } from '@clawboo/core/executor'
import { expect, it } from 'vitest'
import { createLiveRunGuard } from './run-bounds.ts'

const cost = (tokens: number, costUsd: number | null = null): CostEvent => ({
  type: 'cost',
  model: 'm',
  inputTokens: tokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd,
})

/** The spending of a day, shared by several runs. */
function openBook() {
  let usd = 0
  return {
    add: async (call: { readonly usd: number }) => {
      usd += call.usd
    },
    today: async () => ({ agentUsd: usd, teamUsd: null, serverUsd: usd }),
  }
}

const guardWith = (limits: Partial<typeof DEFAULT_RUN_LIMITS>, book = openBook(), agentUsd = 10) =>
  createLiveRunGuard({
    limits: { ...DEFAULT_RUN_LIMITS, ...limits },
    budgets: { ...DEFAULT_DAILY_BUDGETS, agentUsd },
    book,
  })

it('[CV23] a check before a model call waits until all earlier events are handled', async () => {
  const guard = guardWith({ modelCalls: 1 })
  const answers: unknown[] = []
  const asked = guard.mayCallModel(3).then((answer) => answers.push(answer))
  guard.handled(2)
  await Promise.resolve()
  expect(answers).toEqual([])
  await guard.spent(cost(10))
  guard.handled(3)
  await asked
  expect(answers).toMatchObject([{ reason: 'model_calls_limit', figure: 1, cap: 1 }])
})

it('[CV24] a check that is still waiting when the stream ends gets its answer', async () => {
  const guard = guardWith({})
  const asked = guard.mayCallModel(9)
  guard.release()
  expect(await asked).toBeNull()
})

it('[CV25] calls, tokens and dollars of one run trip their limits; an unknown price counts as the ceiling', async () => {
  expect(await guardWith({ tokens: 100 }).spent(cost(100))).toMatchObject({ reason: 'tokens_limit', figure: 100 })
  expect(await guardWith({ usd: 0.5 }).spent(cost(1, 0.6))).toMatchObject({ reason: 'usd_limit', scope: 'run' })
  const unpriced = guardWith({ usd: 0.5, unknownPriceUsdPerMillionTokens: 1_000 })
  expect(await unpriced.spent(cost(499))).toBeNull()
  expect(await unpriced.spent(cost(1))).toMatchObject({ reason: 'usd_limit', figure: 0.5 })
})

it('[CV26] the spending of other runs counts for a shared budget', async () => {
  const book = openBook()
  const [one, other] = [guardWith({}, book, 1), guardWith({}, book, 1)]
  expect(await one.spent(cost(1, 0.7))).toBeNull()
  expect(await other.spent(cost(1, 0.7))).toMatchObject({ reason: 'usd_limit', scope: 'agent', cap: 1 })
  expect(await one.mayCallModel(0)).toMatchObject({ scope: 'agent' })
})
