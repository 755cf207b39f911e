import { OPERATIONS } from '@clawboo/api'
import { DEFAULT_DAILY_BUDGETS, DEFAULT_RUN_LIMITS } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import type { Limits } from '../../../api/limits.ts'
import { LIMIT_FIELDS, readTyped, shownLimit, typedLimit } from './limit-fields.ts'
import { typedSince } from './use-limit-typing.ts'

const LIMITS: Limits = {
  run: DEFAULT_RUN_LIMITS,
  daily: DEFAULT_DAILY_BUDGETS,
  day: '2026-03-10',
  spentToday: { serverUsd: 0, byAgent: [], byTeam: [] },
}
const shown = () => Object.fromEntries(LIMIT_FIELDS.map((field) => [field.name, shownLimit(LIMITS, field)]))

test('[PG96] every limit of the server is shown once, in everyday units', () => {
  const names = Object.entries({ run: LIMITS.run, daily: LIMITS.daily }).flatMap(([group, values]) =>
    Object.keys(values).map((key) => `${group}.${key}`),
  )
  expect(LIMIT_FIELDS.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(shown()).toMatchObject({ 'run.wallMs': '120', 'run.idleMs': '10', 'run.usd': '5', 'run.tokens': '4,000,000' })
})

test('[PG96] only changed limits are sent, in the server’s units, and an invalid one keeps its reason', () => {
  expect(readTyped(shown(), LIMITS)).toEqual({ patch: {}, problems: {} })
  expect(readTyped({ 'run.wallMs': '0.5', 'run.tokens': '2,000,000', 'daily.agentUsd': '2.5' }, LIMITS)).toEqual({
    patch: { run: { wallMs: 30_000, tokens: 2_000_000 }, daily: { agentUsd: 2.5 } },
    problems: {},
  })
  const { patch, problems } = readTyped({ 'run.usd': '-1', 'run.modelCalls': 'many', 'daily.teamUsd': '2,5' }, LIMITS)
  expect(patch).toEqual({})
  expect(Object.keys(problems)).toEqual(['run.modelCalls', 'run.usd', 'daily.teamUsd'])
})

test('[PG180] empty, zero, negative, fractional, too large and too small values each show a problem at their field', () => {
  const problemOf = (name: string, text: string) => readTyped({ [name]: text }, LIMITS).problems[name]
  expect(problemOf('run.usd', '')).toMatch(/^Enter a number of dollars, such as 5\. A limit is required/)
  expect(problemOf('run.usd', '   ')).toMatch(/is required/)
  for (const nothing of ['0', '0.00', '-1', '−3', '-'])
    expect(problemOf('run.usd', nothing)).toMatch(/^Must be above 0/)
  expect(problemOf('run.modelCalls', '2.5')).toBe('Must be a whole number of calls.')
  expect(problemOf('run.modelCalls', '100,001')).toBe('Must be at most 100,000 calls.')
  expect(problemOf('run.usd', '9'.repeat(400))).toBe('Must be at most 100,000 dollars.')
  expect(problemOf('run.wallMs', '10081')).toBe('Must be at most 10,080 minutes.')
  expect(problemOf('run.wallMs', '0.001')).toBe('Must be at least 0.017 minutes.')
  for (const word of ['many', '1e5', '1.2.3', '5 dollars', '0x10'])
    expect(problemOf('run.usd', word)).toBe('Enter a number of dollars, such as 5.')
  expect(problemOf('run.usd', '2,5')).toBe('Use a point, such as 2.5.')
  for (const fine of ['.5', '0.000001', ' 7 ', '1,234.5', '100000']) expect(problemOf('run.usd', fine)).toBeUndefined()
})

test('[PG180] the page accepts exactly the limits that the server accepts', () => {
  const body = OPERATIONS.setLimits.body
  for (const field of LIMIT_FIELDS) {
    const sent = (value: number) => body.safeParse({ [field.group]: { [field.key]: value } }).success
    const least = field.least ?? Number.MIN_VALUE
    expect([field.name, sent(least), sent(field.most)]).toEqual([field.name, true, true])
    expect([field.name, sent(least - 1), sent(field.most + 1)]).toEqual([field.name, false, false])
    const read = typedLimit(String(field.most / field.scale), field, '')
    expect('value' in read && sent(read.value)).toBe(true)
  }
})

test('[PG180] text typed while a save is in progress is kept', () => {
  expect(typedSince({ a: '1', b: '2' }, { a: '1', b: '3', c: '4' })).toEqual({ b: '3', c: '4' })
})
