import { expect, test } from 'vitest'
import { budgetProblem, shownChoice, stillTouched, unsavedChoices, withChoices } from './exec-config.ts'

test('[PG75] saving the set-up keeps every field that the page does not show', () => {
  const config = {
    model: 'a/one',
    fallbackModels: ['b/two'],
    exec: { ask: 'always', security: 'deny' },
    tools: { deny: ['exec'] },
  }
  const shown = ['model', 'exec.security', 'budgetUsd', 'nowhere.at.all'].map((key) => shownChoice(config, {}, key))
  expect(shown).toEqual(['a/one', 'deny', '', ''])
  expect(withChoices(config, { model: '', 'exec.security': 'full', budgetUsd: '2.5' })).toEqual({
    fallbackModels: ['b/two'],
    exec: { ask: 'always', security: 'full' },
    tools: { deny: ['exec'] },
    budgetUsd: 2.5,
  })
})

test('[PG151] untouched fields follow the server and are saved with their current values', () => {
  const later = { model: 'b/two', exec: { security: 'deny' } }
  const shown = ['model', 'exec.security', 'budgetUsd'].map((key) => shownChoice(later, { budgetUsd: '3' }, key))
  expect(shown).toEqual(['b/two', 'deny', '3'])
  expect(withChoices(later, { budgetUsd: '3' })).toEqual({ ...later, budgetUsd: 3 })
})

test('[PG151] a field set back to its saved value is not unsaved, and typing during a save is kept', () => {
  expect(unsavedChoices({ model: 'a/one' }, { model: 'a/one', budgetUsd: '3' })).toEqual({ budgetUsd: '3' })
  expect(unsavedChoices({ budgetUsd: 3 }, { budgetUsd: '3' })).toEqual({})
  expect(stillTouched({ budget: '34', model: 'a/one' }, { budget: '3', model: 'a/one' })).toEqual({ budget: '34' })
})

test('[PG75] no choices give no configuration', () => {
  expect(withChoices(null, {})).toBeNull()
  expect(withChoices({ exec: { security: 'full' } }, { 'exec.security': '' })).toBeNull()
  expect(withChoices({ permissionMode: 'guarded' }, { permissionMode: '' })).toBeNull()
  expect(withChoices({ budgetUsd: 2 }, { budgetUsd: ' ' })).toBeNull()
})

test('[PG151] a budget must be an amount in dollars; for any other text, the page shows what to enter', () => {
  for (const text of ['', '  ', '2', '2.50', ' 2.5 ', '0.01', '.5', '2.', '1,000', '1,000.50', '$5', '100000']) {
    expect([text, budgetProblem(text)]).toEqual([text, null])
  }
  expect(withChoices(null, { budgetUsd: '$1,000.50' })).toEqual({ budgetUsd: 1000.5 })
  expect(budgetProblem('2,5')).toContain('such as 2.5.')
  for (const text of ['0', '0.0', '-1'])
    expect([text, budgetProblem(text)?.slice(0, 15)]).toEqual([text, 'Must be above 0'])
  for (const text of ['x', '1e3', '0x10', 'Infinity', 'NaN', '2.5.5', '10 000 EUR']) {
    expect([text, budgetProblem(text)?.slice(0, 15)]).toEqual([text, 'Enter dollars, '])
  }
  for (const text of ['100001', '9'.repeat(400)]) expect(budgetProblem(text)).toContain('at most 100,000')
})
