import { expect, test } from 'vitest'
import { readEdit, writeEdit } from './edit-draft.ts'

const before = { title: 'A', body: 'b', who: '', priority: 'normal', changesFiles: false } as const

test('[PG218] of an edit only what was changed is kept, and it is laid over the task as it is by then', () => {
  const kept = writeEdit(before, { ...before, body: 'better', changesFiles: true })
  expect(readEdit(kept, { ...before, title: 'Renamed' })).toEqual({
    ...before,
    title: 'Renamed',
    body: 'better',
    changesFiles: true,
  })
  expect(writeEdit(before, { ...before })).toBeNull()
})

test('[PG218] a kept edit that cannot be read is the task as it is', () => {
  for (const text of [null, '', '[', '7', 'null', '{"title":3,"priority":"most","changesFiles":"yes"}'])
    expect(readEdit(text, before)).toEqual(before)
})
