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

test('[PG70] a message is found again with its id, text, way and what went wrong', () => {
  for (const kept of [item(), item({ problem: 'Not sent: the server does not answer.', mode: null })]) {
    expect(readItem(kept.id, storedItem(kept), now)).toEqual(kept)
  }
})

test('[PG150] what another page has under way counts as unsent only once nobody vouches for it', () => {
  const stored = storedItem(item())
  expect(readItem('m-one', stored, now + VOUCHED_MS)?.problem).toBeNull()
  expect(readItem('m-one', stored, now + VOUCHED_MS + 1)?.problem).toBe(LEFT_BEHIND)
  expect(LEFT_BEHIND).toContain('Sending it again is safe')
})

test('[PG150] messages of several pages stand in the order they were written, each once', () => {
  const [one, two] = [item(), item({ id: 'm-two', writtenAt: now + 1 })]
  expect(withItem(withItem([], 'm-two', two), 'm-one', one)).toEqual([one, two])
  const failed = { ...one, problem: 'Not sent.' }
  expect(withItem([one, two], 'm-one', failed)).toEqual([failed, two])
  expect(withItem([one, two], 'm-one', null)).toEqual([two])
  const same = [one]
  expect(withItem(same, 'm-none', null)).toBe(same)
})

test('[PG70] ids are such as the server takes, and never the same', () => {
  const ids = Array.from({ length: 200 }, newMessageId)
  expect(new Set(ids).size).toBe(200)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{8,64}$/)
})

test('[PG70] storage that holds something else holds no message', () => {
  for (const text of [null, '', 'x', '{}', 'null', '[]', '3', '{"text": 2}'])
    expect(readItem('m', text, now)).toBeNull()
  expect(readItem('m', '{"text":"t","mode":"shout"}', now)).toMatchObject({ mode: null, problem: LEFT_BEHIND })
})
