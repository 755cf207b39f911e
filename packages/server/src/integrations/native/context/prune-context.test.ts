import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message, ToolResultMessage } from '../session/message.ts'
import { assistant, call, result, rounds, textOf, user } from '../session/test-messages.ts'
import { CLEARED_RESULT_TEXT, pruneContext } from './prune-context.ts'
import { charsOf, createTokenEstimator, tokensOf } from './token-estimate.ts'

const MINUTE = 60_000
const later = { lastCacheTouchAt: 0, now: 5 * MINUTE }
const used = (text: string): Message[] => [assistant(call('a')), result('a', text)]
const answers = [assistant('1'), assistant('2'), assistant('3')]
const chars = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + charsOf(message), 0)

test('[NR350] four characters count as one token, rounded up, and an image counts as 8000 characters', () => {
  expect(tokensOf(user(''))).toBe(0)
  expect(tokensOf(user('x'.repeat(4001)))).toBe(1001)
  const image: ToolResultMessage = {
    ...result('a', ''),
    content: [{ type: 'image', mimeType: 'image/png', data: 'x'.repeat(99_999) }],
  }
  expect(tokensOf(image)).toBe(2000)
  expect(charsOf(assistant('abc', { type: 'thinking', thinking: 'de' }, call('id', 'read', { a: 1 })))).toBe(
    3 + 2 + 4 + 7,
  )
  expect(createTokenEstimator().total([user('abcd'), user('abcde'), image])).toBe(2003)
})

test('[NR351] nothing is pruned while the history may still be cached, or when it never was', () => {
  const messages = [user('go'), ...used('x'.repeat(40_000)), ...answers]
  const prune = (lastCacheTouchAt: number | null, now: number) =>
    pruneContext(messages, { contextTokens: 20_000, lastCacheTouchAt, now })
  expect(prune(null, 99 * MINUTE)).toBe(messages)
  expect(prune(0, 5 * MINUTE - 1)).toBe(messages)
  expect(prune(0, 5 * MINUTE)).not.toEqual(messages)
})

test('[NR351] below three tenths of the window nothing is pruned', () => {
  const messages = [user('go'), ...used('x'.repeat(11_989)), ...answers]
  expect(chars(messages)).toBe(12_000)
  expect(pruneContext(messages, { ...later, contextTokens: 10_001 })).toBe(messages)
  expect(pruneContext(messages, { ...later, contextTokens: 10_000 })).not.toEqual(messages)
})

test('[NR352] only results after the first prompt and before the last three answers are pruned', () => {
  const long = 'x'.repeat(5000)
  const before = [assistant(call('a')), result('a', long)]
  const messages = [...before, user(long), ...used(long), ...used(long), ...used(long), assistant('end')]
  const pruned = pruneContext(messages, { ...later, contextTokens: 1000 })
  expect(pruned.map((message, at) => (message === messages[at] ? '' : at)).filter(String)).toEqual([4])
  const two = [user('go'), ...used(long), assistant('end')]
  expect(pruneContext(two, { ...later, contextTokens: 1000 })).toBe(two)
})

test('[NR353] a result of more than 4000 characters keeps its first and last 1500 and a note', () => {
  const text = `${'a'.repeat(1500)}${'b'.repeat(1001)}${'c'.repeat(1500)}`
  const messages = [user('go'), ...used('x'.repeat(4000)), ...used(text), ...answers]
  const pruned = pruneContext(messages, { ...later, contextTokens: 5000 })
  expect(pruned[2]).toBe(messages[2])
  const note = '[Tool result trimmed: kept the first 1500 and the last 1500 of 4001 characters.]'
  expect(textOf(pruned[4])).toBe(`${'a'.repeat(1500)}\n...\n${'c'.repeat(1500)}\n\n${note}`)
  expect(pruned[4]).toMatchObject({ role: 'toolResult', toolCallId: 'a', toolName: 'read', isError: false })
})

test('[NR354] when the context still takes half of the window, the oldest results are cleared until it takes less', () => {
  const messages = [user('go'), ...Array.from({ length: 30 }, () => used('x'.repeat(4000))).flat(), ...answers]
  const contextTokens = 40_000
  const pruned = pruneContext(messages, { ...later, contextTokens })
  const cleared = pruned.flatMap((message, at) => (textOf(message) === CLEARED_RESULT_TEXT ? [at] : []))
  expect(cleared).toEqual(Array.from({ length: cleared.length }, (_, n) => 2 + 2 * n))
  expect(chars(pruned) / (contextTokens * 4)).toBeLessThan(0.5)
  const oneLess = pruned.with(cleared.at(-1)!, messages[cleared.at(-1)!]!)
  expect(chars(oneLess) / (contextTokens * 4)).toBeGreaterThanOrEqual(0.5)
})

test('[NR354] fewer than 50000 characters of old results are not cleared', () => {
  const with12 = [
    user('x'.repeat(90_000)),
    ...Array.from({ length: 12 }, () => used('x'.repeat(4000))).flat(),
    ...answers,
  ]
  expect(pruneContext(with12, { ...later, contextTokens: 30_000 })).toEqual(with12)
  const with13 = [...with12.slice(0, 1), ...used('x'.repeat(4000)), ...with12.slice(1)]
  expect(pruneContext(with13, { ...later, contextTokens: 30_000 })).not.toEqual(with13)
})

test('[NR355] pruning shortens only tool results, splits no surrogate pair, and leaves the history unchanged', () => {
  const emoji = fc.nat(3000).map((n) => `${'x'.repeat(n % 3)}${'🌍'.repeat(n)}`)
  const timedRounds = fc.array(
    fc.oneof(
      rounds,
      emoji.map((text) => [user('q'), ...used(text)]),
    ),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(timedRounds, fc.integer({ min: 1, max: 3000 }), (groups, contextTokens) => {
      const messages = groups.flat()
      const before = JSON.stringify(messages)
      const pruned = pruneContext(messages, { ...later, contextTokens })
      expect(pruned).toHaveLength(messages.length)
      expect(pruned.every((message, at) => message.role === 'toolResult' || message === messages[at])).toBe(true)
      expect(pruned.every((message) => textOf(message).isWellFormed())).toBe(true)
      expect(chars(pruned)).toBeLessThanOrEqual(chars(messages))
      expect(JSON.stringify(messages)).toBe(before)
    }),
  )
})
