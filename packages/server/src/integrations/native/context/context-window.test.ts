import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assistant, call, isPaired, result, rounds, textOf, user } from '../session/test-messages.ts'
import { chooseCut } from './compact-session.ts'
import {
  afterOverflow,
  isWindowTooSmall,
  judgeCompaction,
  keepAfterOverflow,
  keepRecentTokens,
  reserveTokens,
  routePrompt,
} from './context-window.ts'
import { reducibleTokens, truncateResults } from './prune-context.ts'
import { startupReminder } from './startup-sections.ts'
import { tokensOf } from './token-estimate.ts'

test('[NR356] 20000 tokens are reserved for the answer, and fewer in a small window so that the prompt keeps its share', () => {
  expect(reserveTokens(200_000)).toBe(20_000)
  expect(reserveTokens(28_000)).toBe(20_000)
  expect(reserveTokens(24_000)).toBe(16_000)
  expect(reserveTokens(10_000)).toBe(5000)
  expect([keepRecentTokens(200_000), keepRecentTokens(60_000), keepRecentTokens(24_000)]).toEqual([
    20_000, 20_000, 4000,
  ])
  expect([0, 1, 2, 30].map((tried) => keepAfterOverflow(200_000, tried))).toEqual([20_000, 10_000, 5000, 1])
})

test('[NR357] a session is compacted when it grows into the reserve for the answer', () => {
  const judge = (contextTokens: number, tokensAfterLast: number | null = null) =>
    judgeCompaction({ contextTokens, window: 200_000, tokensAfterLast })
  expect(judge(180_000)).toBe('not_needed')
  expect(judge(180_001)).toBe('compact')
  expect(judge(180_001, 160_001)).toBe('compact')
  expect(judge(180_001, 160_002)).toBe('wait_for_growth')
})

test('[NR357] rounds that keep filling the context do not each cause a compaction', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4000, max: 1_000_000 }),
      fc.array(fc.nat(500), { maxLength: 200 }),
      (window, growth) => {
        let contextTokens = window
        let tokensAfterLast: number | null = null
        let grown = 0
        let compactions = 0
        for (const step of growth) {
          contextTokens += step
          grown += step
          if (judgeCompaction({ contextTokens, window, tokensAfterLast }) !== 'compact') continue
          compactions++
          tokensAfterLast = contextTokens
        }
        expect(compactions).toBeLessThanOrEqual(1 + grown / (window * 0.1))
      },
    ),
  )
})

test('[NR358] a compaction never cuts between a call and its result', () => {
  fc.assert(
    fc.property(fc.array(rounds, { maxLength: 12 }), fc.nat(400), (groups, keep) => {
      const messages = groups.flat()
      const cut = chooseCut(messages, keep, tokensOf)
      expect(isPaired(messages.slice(0, cut))).toBe(true)
      expect(isPaired(messages.slice(cut))).toBe(true)
    }),
  )
})

test('[NR358] a compaction keeps about the requested size, and at least the newest call with its results', () => {
  const messages = [
    user('x'.repeat(400)),
    assistant('x'.repeat(400)),
    user('x'.repeat(400)),
    assistant('x'.repeat(400)),
  ]
  expect([0, 50, 100, 101, 300, 400, 401].map((keep) => chooseCut(messages, keep, tokensOf))).toEqual([
    4, 3, 3, 2, 1, 0, 0,
  ])
  const batch = [
    user('go'),
    assistant('look', call('a'), call('b')),
    result('a', 'x'.repeat(4000)),
    result('b', 'x'.repeat(4000)),
  ]
  expect(chooseCut(batch, 100, tokensOf)).toBe(1)
})

test('[NR359] a window below 4000 tokens is too small', () => {
  expect([3999, 4000, 200_000].map(isWindowTooSmall)).toEqual([true, false, false])
})

test('[NR360] the estimate of a prompt is multiplied by 1.2, and truncating results is enough when it frees clearly more than needed', () => {
  const route = (promptTokens: number, reducible: number) =>
    routePrompt({ promptTokens, budgetTokens: 12_000, reducibleTokens: reducible })
  expect(route(10_000, 0)).toBe('send')
  expect(route(10_001, 0)).toBe('compact')
  expect([route(10_500, 1111), route(10_500, 1112)]).toEqual(['compact_then_truncate', 'truncate_results'])
  expect([route(20_000, 17_999), route(20_000, 18_000)]).toEqual(['compact_then_truncate', 'truncate_results'])
})

test('[NR360] results over the limit are truncated with a note of the omitted length, and shorter ones stay whole', () => {
  const messages = [
    user('x'.repeat(900)),
    assistant(call('a'), call('b')),
    result('a', 'y'.repeat(900)),
    result('b', 'z'.repeat(200)),
  ]
  expect(reducibleTokens(messages, 200)).toBe(175)
  const short = truncateResults(messages, 200)
  expect(short.map((message, at) => message === messages[at])).toEqual([true, true, false, true])
  expect(textOf(short[2])).toHaveLength(200)
  expect(textOf(short[2])).toMatch(/^y+\n\[700 characters or more of this result were left out\]\ny+$/)
  expect(textOf(truncateResults(messages, 10)[2]).length).toBeLessThanOrEqual(10)
})

test('[NR362] a prompt that a provider rejects as too long is compacted and sent again at most three times, while that helps', () => {
  expect([0, 1, 2, 3].map((tried) => afterOverflow(tried, true))).toEqual(['compact', 'compact', 'compact', 'give_up'])
  expect([afterOverflow(0, false), afterOverflow(1, false)]).toEqual(['compact', 'give_up'])
})

test('[NR368] after a compaction the agent is reminded of two sections of its rules, complete and in their order', () => {
  const file = [
    '# Rules',
    '## red lines ##',
    'Never push.',
    '### Detail',
    'Not even once.',
    '```sh',
    '# Session Startup',
    '```',
    '## Style',
    'Be kind.',
    '# Session Startup',
    'Read MEMORY first.',
    '## Then',
    'Say hello.',
  ].join('\r\n')
  const text = startupReminder(file)!
  expect(text.split('\n\n').slice(1).join('\n\n')).toBe(
    '## red lines ##\nNever push.\n### Detail\nNot even once.\n```sh\n# Session Startup\n```\n\n# Session Startup\nRead MEMORY first.\n## Then\nSay hello.',
  )
  expect(startupReminder('# Rules\nnothing')).toBeNull()
  expect(startupReminder('')).toBeNull()
  expect(startupReminder('## House Rules\nx', ['house rules'])).toContain('## House Rules\nx')
  expect(startupReminder(`## Red Lines\n${'x'.repeat(9000)}`)!.length).toBeLessThan(3300)
})
