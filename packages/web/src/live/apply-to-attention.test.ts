import type { AttentionItem } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { applyToAttention } from './apply-to-attention.ts'

const item = (id: string, createdAt: number, overrides: Partial<AttentionItem> = {}): AttentionItem => ({
  id,
  kind: 'approval',
  agentId: 'pip',
  agentName: 'Pip',
  runId: 'run',
  subjectId: id,
  title: 'Pip asks to use exec',
  detail: '',
  action: null,
  answers: ['allow-once', 'deny'],
  state: 'open',
  answer: null,
  answeredBy: null,
  createdAt,
  settledAt: null,
  expiresAt: null,
  ...overrides,
})
const settled = (id: string, createdAt: number, settledAt: number) =>
  item(id, createdAt, { state: 'answered', answer: 'deny', answeredBy: 'operator', settledAt })
const changed = (one: AttentionItem) => ({ type: 'attention-changed', item: one }) as const

test('[PG98] open items are sorted by age, followed by settled ones, newest first', () => {
  const items = applyToAttention([item('b', 20)], [changed(item('a', 10)), changed(settled('c', 1, 30))])
  expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  const later = applyToAttention(items, [changed(settled('b', 20, 40))])
  expect(later.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(later.map(({ state }) => state)).toEqual(['open', 'answered', 'answered'])
})

test('[PG98] applying the same events twice changes nothing, and a late event reopens no settled item', () => {
  const events = [changed(item('a', 10)), changed(settled('a', 10, 20))]
  const once = applyToAttention([], events)
  expect(applyToAttention(once, events)).toBe(once)
  expect(once[0]!.state).toBe('answered')
})
