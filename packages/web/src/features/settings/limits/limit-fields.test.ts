import { DEFAULT_DAILY_BUDGETS, DEFAULT_RUN_LIMITS } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import type { Limits } from '../../../api/limits.ts'
import { LIMIT_FIELDS, readTyped, shownLimit } from './limit-fields.ts'

const LIMITS: Limits = {
  run: DEFAULT_RUN_LIMITS,
  daily: DEFAULT_DAILY_BUDGETS,
  day: '2026-03-10',
  spentToday: { serverUsd: 0, byAgent: [], byTeam: [] },
}
const shown = () => Object.fromEntries(LIMIT_FIELDS.map((field) => [field.name, shownLimit(LIMITS, field)]))

test('[PG96] every limit the server has is shown once, in units a person reads', () => {
  const names = Object.entries({ run: LIMITS.run, daily: LIMITS.daily }).flatMap(([group, values]) =>
    Object.keys(values).map((key) => `${group}.${key}`),
  )
  expect(LIMIT_FIELDS.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(shown()).toMatchObject({ 'run.wallMs': '120', 'run.idleMs': '10', 'run.usd': '5', 'run.tokens': '4,000,000' })
})

test('[PG96] only what was changed is sent, in the server’s units, and what is no number stays with its reason', () => {
  expect(readTyped(shown(), LIMITS)).toEqual({ patch: {}, problems: {} })
  expect(readTyped({ 'run.wallMs': '0.5', 'run.tokens': '2,000,000', 'daily.agentUsd': '2.5' }, LIMITS)).toEqual({
    patch: { run: { wallMs: 30_000, tokens: 2_000_000 }, daily: { agentUsd: 2.5 } },
    problems: {},
  })
  const { patch, problems } = readTyped({ 'run.usd': '-1', 'run.modelCalls': 'many', 'daily.teamUsd': '2,5' }, LIMITS)
  expect(patch).toEqual({})
  expect(Object.keys(problems)).toEqual(['run.modelCalls', 'run.usd', 'daily.teamUsd'])
})
