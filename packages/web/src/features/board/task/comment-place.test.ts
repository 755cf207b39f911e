import { expect, test } from 'vitest'
import { commentBody, commentKey, removedQuote } from './comment-place.ts'

test('[PG219] a comment on a removed line quotes it and names no new line', () => {
  const removed = { oldLine: 3, text: '  Old words' }
  expect(commentBody('Why?', { file: 'a.ts', removed })).toEqual({
    body: '> Removed line 3: `Old words`\n\nWhy?',
    file: 'a.ts',
  })
  expect(commentBody('Why?', { file: 'a.ts', line: 3 })).toEqual({ body: 'Why?', file: 'a.ts', line: 3 })
  expect(commentBody('Fine.')).toEqual({ body: 'Fine.' })
})

test('[PG219] a quote is one short line, whatever the removed line contains', () => {
  expect(removedQuote({ oldLine: 1, text: ' ' })).toBe('> Removed line 1: it was empty\n\n')
  expect(removedQuote({ oldLine: 1, text: 'a `b` c' })).toBe('> Removed line 1: a `b` c\n\n')
  expect(removedQuote({ oldLine: 1, text: 'x'.repeat(9_999) }).length).toBeLessThan(240)
})

test('[PG218] a draft on a line is separate from the same number on the other side', () => {
  const keys = [
    commentKey('t'),
    commentKey('t', { file: 'a', line: 3 }),
    commentKey('t', { file: 'a', removed: { oldLine: 3, text: '' } }),
  ]
  expect(new Set(keys).size).toBe(3)
})
