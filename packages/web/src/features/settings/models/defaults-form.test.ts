import { expect, test } from 'vitest'
import { draftOf, draftProblem, patchOf } from './defaults-form.tsx'

const DEFAULTS = { defaultModel: 'a/one', fallbackModels: ['b/two'], aliases: { quick: 'b/two' } }

test('[PG93] the form returns model defaults unchanged, without empty rows', () => {
  const draft = draftOf(DEFAULTS)
  expect(patchOf(draft)).toEqual(DEFAULTS)
  const more = { ...draft, aliases: [...draft.aliases, { key: 'new', name: ' ', model: '' }] }
  expect(draftProblem(more)).toBeNull()
  expect(patchOf(more)).toEqual(DEFAULTS)
})

test('[PG93] an alias that is empty, has no model or is taken shows a problem before saving', () => {
  const problemWith = (name: string, model: string) => {
    const draft = draftOf(DEFAULTS)
    return draftProblem({ ...draft, aliases: [...draft.aliases, { key: 'new', name, model }] })
  }
  expect(problemWith('', 'a/one')).toContain('empty')
  expect(problemWith('slow', '')).toContain('slow')
  expect(problemWith('Quick', 'a/one')).toContain('Two models')
  expect(problemWith('slow', 'a/one')).toBeNull()
})
