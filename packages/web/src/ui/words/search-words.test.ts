import { expect, test } from 'vitest'
import { matchScore } from './search-words.ts'

test('[PG6] every word must occur, in any order, ignoring case and accents', () => {
  expect(matchScore('zoe', 'Zoë')).toBeGreaterThan(0)
  expect(matchScore('theme DARK', 'Dark theme Appearance')).toBeGreaterThan(0)
  expect(matchScore('dark team', 'Dark theme Appearance')).toBe(0)
  expect(matchScore('', 'anything')).toBeGreaterThan(0)
})

test('[PG6] the start of the text beats the start of a word, which beats the middle of one', () => {
  const scores = [matchScore('ada', 'Ada'), matchScore('ada', 'The Ada'), matchScore('ada', 'Canada')]
  expect(scores).toEqual([...scores].sort((one, other) => other - one))
  expect(new Set(scores).size).toBe(3)
})
