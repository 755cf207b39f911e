import { expect, test } from 'vitest'
import { budgetProblem, readChoices, withChoices } from './exec-config.ts'

test('[PG75] saving the set-up keeps every field it does not show', () => {
  const config = {
    model: 'a/one',
    fallbackModels: ['b/two'],
    exec: { ask: 'always', security: 'deny' },
    tools: { deny: ['exec'] },
  }
  const before = readChoices(config)
  expect(before).toEqual({ model: 'a/one', commands: 'deny', budget: '' })
  expect(withChoices(config, before, { model: '', commands: 'full', budget: '2.5' })).toEqual({
    fallbackModels: ['b/two'],
    exec: { ask: 'always', security: 'full' },
    tools: { deny: ['exec'] },
    budgetUsd: 2.5,
  })
})

test('[PG75] what was not touched here stays as somebody else wrote it meanwhile', () => {
  const before = readChoices({ model: 'a/one' })
  const later = { model: 'b/two', exec: { security: 'deny' } }
  expect(withChoices(later, before, { ...before, budget: '3' })).toEqual({ ...later, budgetUsd: 3 })
})

test('[PG75] nothing said is no configuration, and a budget is a number of dollars', () => {
  const none = readChoices(null)
  expect(withChoices(null, none, none)).toBeNull()
  expect(withChoices({ exec: { security: 'full' } }, readChoices({ exec: { security: 'full' } }), none)).toBeNull()
  expect(['', '2', '2.50', '0', '-1', 'x', '1e9'].map((text) => budgetProblem(text) === null)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
