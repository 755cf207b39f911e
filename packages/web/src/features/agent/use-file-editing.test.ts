import { expect, test } from 'vitest'
import { draftAfter } from './use-file-editing.ts'

const saved = { revision: 4, content: 'saved' }

test('[PG32] a draft keeps the revision it started from, however often the file changes', () => {
  const first = draftAfter('typed', null, saved)
  expect(first).toEqual({ baseRevision: 4, text: 'typed' })
  expect(draftAfter('typed more', first, { revision: 5, content: 'theirs' })).toEqual({
    baseRevision: 4,
    text: 'typed more',
  })
})

test('[PG32] a draft that equals the saved text again is not unsaved', () => {
  expect(draftAfter('saved', { baseRevision: 4, text: 'x' }, saved)).toBeNull()
})
