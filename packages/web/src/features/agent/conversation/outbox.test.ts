import { expect, test } from 'vitest'
import { LEFT_BEHIND, newMessageId, type OutboxItem, readItem, storedItem, VOUCHED_MS, withItem } from './outbox.ts'

const now = 1_000_000
const item = (more: Partial<OutboxItem> = {}): OutboxItem => ({
  id: 'm-one',
  text: 'Hello',
  mode: 'followup',
  writtenAt: now,
  vouchedAt: now,
  problem: null,
  ...more,
})

test('[PG70] a stored message keeps its id, text, mode and problem', () => {
  for (const kept of [item(), item({ problem: 'Not sent: the server does not answer.', mode: null })]) {
    expect(readItem(kept.id, storedItem(kept), now)).toEqual(kept)
  }
})

test('[PG150] another page’s message counts as unsent only after that page stopped renewing it', () => {
  const stored = storedItem(item())
  expect(readItem('m-one', stored, now + VOUCHED_MS)?.problem).toBeNull()
  expect(readItem('m-one', stored, now + VOUCHED_MS + 1)?.problem).toBe(LEFT_BEHIND)
  expect(LEFT_BEHIND).toContain('Sending it again is safe')
})

test('[PG150] messages of several pages appear once each, in the order they were written', () => {
  const [one, two] = [item(), item({ id: 'm-two', writtenAt: now + 1 })]
  expect(withItem(withItem([], 'm-two', two), 'm-one', one)).toEqual([one, two])
  const failed = { ...one, problem: 'Not sent.' }
  expect(withItem([one, two], 'm-one', failed)).toEqual([failed, two])
  expect(withItem([one, two], 'm-one', null)).toEqual([two])
  const same = [one]
  expect(withItem(same, 'm-none', null)).toBe(same)
})

test('[PG70] message ids are unique and valid for the server', () => {
  const ids = Array.from({ length: 200 }, newMessageId)
  expect(new Set(ids).size).toBe(200)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{8,64}$/)
})

test('[PG70] storage with other contents yields no message', () => {
  for (const text of [null, '', 'x', '{}', 'null', '[]', '3', '{"text": 2}'])
    expect(readItem('m', text, now)).toBeNull()
  expect(readItem('m', '{"text":"t","mode":"shout"}', now)).toMatchObject({ mode: null, problem: LEFT_BEHIND })
})
