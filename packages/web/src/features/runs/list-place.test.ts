import { expect, test } from 'vitest'
import { offsetOf, placeAt } from './runs-search.ts'

const rows = (...ids: string[]) => ids.map((id) => ({ id }))

test('[PG177] a list returns to its last row, also when rows were added above it or it is gone', () => {
  const place = placeAt(115, rows('a', 'b', 'c', 'd'), 50)
  expect(offsetOf(place, rows('a', 'b', 'c', 'd'), 50)).toBe(115)
  expect(offsetOf(place, rows('new', 'newer', 'a', 'b', 'c', 'd'), 50)).toBe(215)
  expect(offsetOf(place, rows('a', 'b', 'd'), 50)).toBe(115)
  expect(offsetOf(placeAt(0, rows('a'), 50), rows('new', 'a'), 50)).toBe(0)
  expect(offsetOf(undefined, rows('a'), 50)).toBe(0)
})
