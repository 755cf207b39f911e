import { expect, test } from 'vitest'
import { nextItem } from './needs-you-page.tsx'

test('[PG179] after an answer, focus goes to the next remaining item, else to the previous one, else to none', () => {
  expect(nextItem(['a', 'b', 'c'], ['a', 'c'], 'b')).toBe('c')
  expect(nextItem(['a', 'b', 'c', 'd'], ['a', 'd'], 'b')).toBe('d')
  expect(nextItem(['a', 'b', 'c'], ['a', 'b'], 'c')).toBe('b')
  expect(nextItem(['a'], ['new'], 'a')).toBe('new')
  expect(nextItem(['a'], [], 'a')).toBeNull()
})
