import { expect, test } from 'vitest'
import { readBoardSearch } from './board-search.ts'

test('[PG216] an address with unknown values shows the whole board', () => {
  expect(readBoardSearch({ q: '', who: 'agent:', priority: 'soon', column: 'later', task: 7, view: 'x' })).toEqual({})
  expect(readBoardSearch({ who: 'everybody', priority: ['high'] })).toEqual({})
})

test('[PG216] known values are kept', () => {
  const search = {
    q: 'login',
    who: 'person:p1',
    priority: 'high',
    column: 'in_review',
    task: 't1',
    view: 'changes',
  } as const
  expect(readBoardSearch(search)).toEqual(search)
  expect(readBoardSearch({ who: 'none' })).toEqual({ who: 'none' })
})
