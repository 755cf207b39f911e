import { expect, test } from 'vitest'
import type { ExchangeView } from '../../../api/room/room.ts'
import { chainWords, endWords, firstWords, owedWords, speakingWords, turnWords } from './exchange-words.ts'

const NAMES: Readonly<Record<string, string>> = { a: 'Ada', k: 'Kit', m: 'Moss' }
const nameOf = (id: string) => NAMES[id] ?? 'A deleted Boo'

const exchange = (fields: Partial<ExchangeView>): ExchangeView => ({
  id: 'e',
  teamId: 't',
  ordinal: 1,
  status: 'running',
  reason: null,
  stimulusSeq: 1,
  turns: 0,
  bound: 4,
  speaker: null,
  pending: [],
  chains: [],
  createdAt: 1,
  startedAt: 1,
  endedAt: null,
  ...fields,
})
const owes = (agentId: string, because: ExchangeView['pending'][number]['because'], chainId = 'c') => ({
  agentId,
  because,
  chainId,
})
const speaks = (agentId: string, because: 'obligation' | 'leader', turn = 1) => ({
  agentId,
  runId: 'r',
  turn,
  because,
  chainId: 'c',
})

test.each([
  [exchange({ speaker: speaks('a', 'leader') }), 'Ada replies because it leads'],
  [
    exchange({ speaker: speaks('k', 'obligation'), pending: [owes('k', 'post')] }),
    'Kit replies because a teammate asked it',
  ],
  [exchange({ pending: [owes('m', 'mention')] }), 'Moss is next because it was mentioned'],
  [exchange({ pending: [owes('m', 'mention'), owes('k', 'post')] }), 'Moss and Kit reply next'],
  [exchange({ speaker: speaks('k', 'obligation') }), 'Kit replies'],
  [exchange({}), 'Starting'],
  [exchange({ turns: 2 }), 'Continuing'],
])('[PG269] one sentence names the speaker and the reason', (view, words) => {
  expect(speakingWords(view, nameOf)).toBe(words)
})

test('[PG269] the turn is counted, and each Boo that still replies is named once', () => {
  const pending = [owes('k', 'post'), owes('m', 'mention'), owes('m', 'post', 'd'), owes('k', 'mention', 'd')]
  const view = exchange({ speaker: speaks('k', 'obligation', 2), turns: 1, pending })
  expect(turnWords(view)).toBe('Turn 2 of 4')
  expect(owedWords(view, nameOf)).toBe('then Moss and Kit')
  expect(owedWords(exchange({ speaker: speaks('a', 'leader') }), nameOf)).toBe('')
  expect(turnWords(exchange({ turns: 4 }))).toBe('Turn 4 of 4')
})

test.each([
  [{ reason: 'no_pending_obligation' as const, turns: 3 }, 'Finished · 3 replies', null],
  [{ reason: 'no_pending_obligation' as const }, 'Finished · no replies', null],
  [{ reason: 'aborted' as const, turns: 1 }, 'Stopped after 1 turn.', null],
  [{ reason: 'aborted' as const }, 'Stopped before the first turn.', null],
  [{ reason: 'budget_paused' as const, turns: 2 }, 'Paused after 2 turns: a budget is spent.', 'limits'],
  [
    { reason: 'max_turns' as const, turns: 4, pending: [owes('k', 'post'), owes('m', 'post')] },
    'Stopped at the limit of 4 turns. Kit and Moss still had to reply. Send a message to continue.',
    'settings',
  ],
])('[PG272] the end %j has plain words', (fields, text, remedy) => {
  expect(endWords(exchange({ status: 'ended', ...fields }), nameOf)).toMatchObject({ text, remedy })
})

test('[PG270] a chain is named after the first words of its first post, or after the board', () => {
  expect(chainWords('message', 'Ship it\n\ntoday')).toBe('“Ship it today”')
  expect(chainWords('board', 'anything')).toBe('a report on the board')
  expect(chainWords('message', undefined)).toBe('an earlier message')
  expect(firstWords(`Ship the pricing page today ${'and more '.repeat(9)}`)).toBe(
    'Ship the pricing page today and more and more…',
  )
  expect(firstWords('x'.repeat(100))).toHaveLength(49)
})
