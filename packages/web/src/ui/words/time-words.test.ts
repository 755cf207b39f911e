import { expect, test } from 'vitest'
import { ago, clockWords, counted, longAge, shortAge } from './time-words.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NOW = new Date(2026, 2, 10, 14, 30).getTime()

test('[PG13] ages are short in rows, long in sentences, and never negative', () => {
  expect([0, 40_000, 4 * MINUTE, 119 * MINUTE, 3 * DAY, 70 * DAY, 800 * DAY].map(shortAge)).toEqual([
    '0 s',
    '40 s',
    '4 min',
    '1 h',
    '3 d',
    '2 mo',
    '2 y',
  ])
  expect([longAge(MINUTE), longAge(4 * MINUTE), longAge(2 * DAY)]).toEqual(['1 minute', '4 minutes', '2 days'])
  expect([shortAge(-5_000), ago(NOW + 5_000, NOW), ago(NOW - 4 * MINUTE, NOW)]).toEqual([
    '0 s',
    'just now',
    '4 min ago',
  ])
})

test('[PG13] a clock time names the day unless it is today, and a count has its plural', () => {
  expect(clockWords(NOW - 28 * MINUTE, NOW)).toBe('14:02')
  expect(clockWords(NOW - DAY, NOW)).toBe('9 Mar 14:30')
  expect(clockWords(NOW - 400 * DAY, NOW)).toMatch(/2025$/)
  expect([counted(1, 'Boo'), counted(10_000, 'Boo'), counted(2, 'person', 'people')]).toEqual([
    '1 Boo',
    '10,000 Boos',
    '2 people',
  ])
})
