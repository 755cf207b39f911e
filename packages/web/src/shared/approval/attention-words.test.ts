import { ATTENTION_ANSWERS, type AttentionItem } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { ANSWER_WORDS, answersInOrder, KEEPS_WORDS, reasonWords, settledWords } from './attention-words.ts'

const item = (overrides: Partial<AttentionItem> = {}): AttentionItem => ({
  id: 'one',
  kind: 'approval',
  agentId: 'pip',
  agentName: 'Pip',
  runId: 'run',
  subjectId: 'call',
  title: 'Pip asks to use exec',
  detail: 'not on the list',
  action: null,
  answers: ['allow-once', 'allow-always', 'deny'],
  state: 'open',
  answer: null,
  answeredBy: null,
  createdAt: 1,
  settledAt: null,
  expiresAt: null,
  ...overrides,
})

test('[PG99] every answer has a button text and words for its outcome', () => {
  for (const answer of ATTENTION_ANSWERS) {
    expect(ANSWER_WORDS[answer]).toBeTruthy()
    expect(settledWords(item({ state: 'answered', answer, answeredBy: 'operator' }))).toMatch(/ by operator$/)
  }
  expect(settledWords(item())).toBeNull()
  expect(settledWords(item({ state: 'expired' }))).toContain('denied')
  expect([...answersInOrder(ATTENTION_ANSWERS)].sort()).toEqual([...ATTENTION_ANSWERS].sort())
})

test('[PG178] answers have the same order everywhere, and a permanent answer shows what it covers', () => {
  expect(answersInOrder(['deny', 'allow-always', 'allow-once'])).toEqual(['allow-once', 'allow-always', 'deny'])
  expect(answersInOrder(['dismiss', 'retry'])).toEqual(['retry', 'dismiss'])
  expect(KEEPS_WORDS).toMatch(/exactly this command/)
})

test('[PG172] an approval of a stopped run differs from one that was not answered in time', () => {
  const expired = (settledAt: number) => settledWords(item({ state: 'expired', settledAt, expiresAt: 60_000 }))
  expect(expired(5_000)).toBe('The run stopped before you answered')
  expect(expired(60_000)).toBe('Not answered in time: denied')
  expect(settledWords(item({ kind: 'notice', state: 'expired', settledAt: 5, expiresAt: 60_000 }))).toBe(
    'No longer open',
  )
})

test('[PG291] an approval shows that its run was started elsewhere, and that it was settled elsewhere', () => {
  const detail = 'Asked outside Clawboo (telegram), because it is not on the list.'
  const outside = (more: Partial<AttentionItem>) => item({ runId: null, detail, ...more })
  expect(reasonWords(outside({}))).toBe(detail)
  expect(reasonWords(item())).toBe('Needs approval because not on the list.')
  expect(settledWords(outside({ state: 'expired', settledAt: 5 }))).toBe('Answered outside Clawboo')
  expect(settledWords(outside({ state: 'expired', settledAt: 5, expiresAt: 60_000 }))).toBe('Answered outside Clawboo')
  expect(settledWords(outside({ state: 'expired', settledAt: 60_000, expiresAt: 60_000 }))).toContain('denied')
  expect(settledWords(outside({ state: 'answered', answer: 'deny', answeredBy: 'operator' }))).toBe(
    'Denied by operator',
  )
})
