import { expect, test } from 'vitest'
import { draftOf, draftProblem, patchOf } from './defaults-draft.ts'

const DEFAULTS = { defaultModel: 'a/one', fallbackModels: ['b/two'], aliases: { quick: 'b/two' } }

test('[PG93] model defaults come out of the form as they went in, without rows left empty', () => {
  const draft = draftOf(DEFAULTS)
  expect(patchOf(draft)).toEqual(DEFAULTS)
  const more = { ...draft, aliases: [...draft.aliases, { key: 'new', name: ' ', model: '' }] }
  expect(draftProblem(more)).toBeNull()
  expect(patchOf(more)).toEqual(DEFAULTS)
})

test('[PG93] a short name that is empty, stands for nothing or is taken is said before anything is saved', () => {
  const problemWith = (name: string, model: string) => {
    const draft = draftOf(DEFAULTS)
    return draftProblem({ ...draft, aliases: [...draft.aliases, { key: 'new', name, model }] })
  }
  expect(problemWith('', 'a/one')).toContain('empty')
  expect(problemWith('slow', '')).toContain('slow')
  expect(problemWith('Quick', 'a/one')).toContain('Two models')
  expect(problemWith('slow', 'a/one')).toBeNull()
})
