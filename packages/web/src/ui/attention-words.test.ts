import { ATTENTION_ANSWERS, type AttentionItem } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { ANSWER_WORDS, answersInOrder, settledWords } from './attention-words.ts'

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

test('[PG99] every answer has a button’s word and words for what became of it', () => {
  for (const answer of ATTENTION_ANSWERS) {
    expect(ANSWER_WORDS[answer]).toBeTruthy()
    expect(settledWords(item({ state: 'answered', answer, answeredBy: 'operator' }))).toMatch(/ by operator$/)
  }
  expect(settledWords(item())).toBeNull()
  expect(settledWords(item({ state: 'expired' }))).toContain('not allowed')
  expect(answersInOrder(['allow-once', 'allow-always', 'deny'])).toEqual(['deny', 'allow-always', 'allow-once'])
  expect([...answersInOrder(ATTENTION_ANSWERS)].sort()).toEqual([...ATTENTION_ANSWERS].sort())
})
