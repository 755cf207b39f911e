import { expect, test } from 'vitest'
import { nextItem } from './next-item.ts'

test('[PG179] when an item is answered the next one that is left comes, then the one before, then none', () => {
  expect(nextItem(['a', 'b', 'c'], ['a', 'c'], 'b')).toBe('c')
  expect(nextItem(['a', 'b', 'c', 'd'], ['a', 'd'], 'b')).toBe('d')
  expect(nextItem(['a', 'b', 'c'], ['a', 'b'], 'c')).toBe('b')
  expect(nextItem(['a'], ['new'], 'a')).toBe('new')
  expect(nextItem(['a'], [], 'a')).toBeNull()
})
