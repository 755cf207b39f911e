import { expect, test } from 'vitest'
import { readEdit, writeEdit } from './task-draft.ts'

const before = { title: 'A', body: 'b', who: '', priority: 'normal', changesFiles: false } as const

test('[PG218] an edit stores only the changed fields and applies them to the current task', () => {
  const kept = writeEdit(before, { ...before, body: 'better', changesFiles: true })
  expect(readEdit(kept, { ...before, title: 'Renamed' })).toEqual({
    ...before,
    title: 'Renamed',
    body: 'better',
    changesFiles: true,
  })
  expect(writeEdit(before, { ...before })).toBeNull()
})

test('[PG218] an unreadable stored edit leaves the task unchanged', () => {
  for (const text of [null, '', '[', '7', 'null', '{"title":3,"priority":"most","changesFiles":"yes"}'])
    expect(readEdit(text, before)).toEqual(before)
})
