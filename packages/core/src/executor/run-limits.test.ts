import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countedUsd,
  type DailySpend,
  DEFAULT_DAILY_BUDGETS,
  DEFAULT_RUN_LIMITS,
  type RunSpend,
  trippedBudget,
  trippedRunLimit,
} from './run-limits.ts'

const limits = { ...DEFAULT_RUN_LIMITS, modelCalls: 10, tokens: 1000, usd: 2 }
const spend = (more: Partial<RunSpend> = {}): RunSpend => ({ modelCalls: 0, tokens: 0, usd: 0, ...more })

const budgets = { agentUsd: 10, teamUsd: 30, serverUsd: 50 }
const today = (more: Partial<DailySpend> = {}): DailySpend => ({ agentUsd: 0, teamUsd: 0, serverUsd: 0, ...more })

test('[EX90] a limit trips when it is reached, with its reason, its figure and its cap', () => {
  expect(trippedRunLimit(limits, spend())).toBeNull()
  expect(trippedRunLimit(limits, spend({ modelCalls: 9, tokens: 999, usd: 1.99 }))).toBeNull()
  const tripped = [
    [spend({ modelCalls: 10 }), { reason: 'model_calls_limit', scope: 'run', figure: 10, cap: 10 }],
    [spend({ tokens: 1200 }), { reason: 'tokens_limit', scope: 'run', figure: 1200, cap: 1000 }],
    [spend({ usd: 2 }), { reason: 'usd_limit', scope: 'run', figure: 2, cap: 2 }],
  ] as const
  for (const [figures, what] of tripped) expect(trippedRunLimit(limits, figures)).toEqual(what)
})

test('[EX90] a tripped limit stays tripped however much more is spent', () => {
  const amount = fc.nat({ max: 3000 })
  const figures = fc.record({ modelCalls: amount, tokens: amount, usd: amount })
  fc.assert(
    fc.property(figures, figures, (before, more) => {
      const after = {
        modelCalls: before.modelCalls + more.modelCalls,
        tokens: before.tokens + more.tokens,
        usd: before.usd + more.usd,
      }
      return trippedRunLimit(limits, before) === null || trippedRunLimit(limits, after) !== null
    }),
  )
})

test('[EX91] a daily budget trips for the agent, the team or the server, the nearest first', () => {
  expect(trippedBudget(budgets, today({ agentUsd: 9.99, teamUsd: 29.99, serverUsd: 49.99 }))).toBeNull()
  const tripped = (scope: string, figure: number, cap: number) => ({ reason: 'usd_limit', scope, figure, cap })
  expect(trippedBudget(budgets, today({ agentUsd: 10 }))).toEqual(tripped('agent', 10, 10))
  expect(trippedBudget(budgets, today({ teamUsd: 31 }))).toEqual(tripped('team', 31, 30))
  expect(trippedBudget(budgets, today({ serverUsd: 50 }))).toEqual(tripped('server', 50, 50))
  expect(trippedBudget(budgets, { agentUsd: 99, teamUsd: 99, serverUsd: 99 })).toMatchObject({ scope: 'agent' })
})

test('[EX92] an agent without a team has no team budget, but the other budgets', () => {
  expect(trippedBudget({ ...budgets, teamUsd: 0 }, today({ teamUsd: null }))).toBeNull()
  expect(trippedBudget(budgets, today({ teamUsd: null, serverUsd: 50 }))).toMatchObject({ scope: 'server' })
})

test('[EX93] a call counts its price, or the assumed price when it is unknown', () => {
  const tokens = { inputTokens: 900_000, outputTokens: 100_000 }
  expect(countedUsd({ costUsd: 0.25, ...tokens }, 15)).toBe(0.25)
  expect(countedUsd({ costUsd: 0, ...tokens }, 15)).toBe(0)
  expect(countedUsd({ costUsd: null, ...tokens }, 15)).toBe(15)
  expect(countedUsd({ costUsd: null, inputTokens: 0, outputTokens: 0 }, 15)).toBe(0)
})

test('[EX94] every limit and budget is on by default', () => {
  for (const figure of [...Object.values(DEFAULT_RUN_LIMITS), ...Object.values(DEFAULT_DAILY_BUDGETS)]) {
    expect(figure).toBeGreaterThan(0)
    expect(Number.isFinite(figure)).toBe(true)
  }
})

test('[EX97] a figure that is not a number trips its limit', () => {
  expect(trippedRunLimit(limits, spend({ usd: Number.NaN }))).toMatchObject({ reason: 'usd_limit' })
  expect(trippedRunLimit(limits, spend({ tokens: Number.NaN }))).toMatchObject({ reason: 'tokens_limit' })
  expect(trippedBudget(budgets, today({ teamUsd: Number.NaN }))).toMatchObject({ scope: 'team' })
})
