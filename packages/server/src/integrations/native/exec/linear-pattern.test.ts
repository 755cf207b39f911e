import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern } from './linear-pattern.ts'

const fits = (pattern: string, text: string) => {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled.test(text)
}

test('[NR136] a pattern matches the same texts as the same regular expression in JavaScript', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '[a-c]', '\\d', '\\w', '\\s', '\\.', '1', ' ')
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc.tuple(atom, fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}')).map(([each, sign]) => each + sign),
      fc.tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{0,2}')).map(([each, sign]) => `(?:${each})${sign}`),
      fc.constantFrom('^', '$'),
    ),
    pattern: fc.oneof(
      { maxDepth: 3 },
      fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}|${b}`),
    ),
  }))
  fc.assert(
    fc.property(pattern, fc.stringMatching(/^[ab1. c\n]{0,8}$/), (source, text) => {
      const compiled = compilePattern(source)
      fc.pre(typeof compiled !== 'string')
      expect(compiled.test(text)).toBe(new RegExp(source).test(text))
    }),
    { numRuns: 2000 },
  )
})

test('[NR136] a pattern that a backtracking engine could not finish takes no time', () => {
  expect(fits('^(a+)+$', `${'a'.repeat(3000)}!`)).toBe(false)
  expect(fits('(a|a)*b', 'a'.repeat(3000))).toBe(false)
  expect(fits('.*.*.*.*.*x', 'a'.repeat(3000))).toBe(false)
})

test('[NR136] a pattern or text that is too large, and unsupported syntax, never match', () => {
  for (const pattern of [
    'a'.repeat(501),
    '((a{99}){99}){99}',
    '(?=a)',
    '(?<n>a)',
    '\\1',
    '\\b',
    'a**',
    '(',
    ')',
    '[',
    '*',
    '[b-a]',
    '\\',
    'a{3,1}',
    'a{',
  ]) {
    expect([pattern.slice(0, 20), typeof compilePattern(pattern)]).toEqual([pattern.slice(0, 20), 'string'])
  }
  expect(fits('a', 'a'.repeat(4001))).toBe(false)
  expect(fits('^status( |$)', 'status --short')).toBe(true)
})
