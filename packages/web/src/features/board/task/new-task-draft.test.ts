import { expect, test } from 'vitest'
import { EMPTY_DRAFT, readDraft, writeDraft } from './task-draft.ts'

test('[PG206] a stored draft is read back unchanged', () => {
  const draft = {
    ...EMPTY_DRAFT,
    title: 'Fix it',
    who: 'agent:a',
    priority: 'high',
    changesFiles: true,
    status: 'backlog',
    waitsFor: [{ id: 't', title: 'First' }],
  } as const
  expect(readDraft(writeDraft(draft))).toEqual(draft)
})

test('[PG206] an empty form stores nothing, and an unreadable draft gives an empty form', () => {
  expect(writeDraft({ ...EMPTY_DRAFT, who: 'agent:a' })).toBe(null)
  for (const text of [null, '', '{', '7', 'null', '{"title":1,"waitsFor":[null,{"id":2}],"priority":"soon"}'])
    expect(readDraft(text)).toEqual(EMPTY_DRAFT)
})
