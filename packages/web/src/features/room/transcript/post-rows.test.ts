import { expect, test } from 'vitest'
import type { RoomPost } from '../../../live/apply-to-room.ts'
import { estimateHeight, postRows } from './post-rows.ts'
import { arrivalWords, credentialWords, dayWords } from './post-words.ts'

const MINUTE = 60_000
const NOON = new Date(2026, 10, 16, 12).getTime()
const post = (seq: number, more: Partial<RoomPost> = {}): RoomPost => ({
  roomId: 'team:launch',
  teamId: 'launch',
  seq,
  id: `post-${seq}`,
  author: { kind: 'agent', id: 'ada' },
  kind: 'peer',
  body: `words ${seq}`,
  to: [],
  chainId: null,
  hops: 0,
  runId: null,
  taskId: null,
  credential: 'attached',
  createdAt: NOON + seq * MINUTE,
  ...more,
})

test('[PG235] consecutive posts of one author continue until time, another author, a mention or a line separates them', () => {
  const rows = postRows(
    [
      post(1),
      post(2),
      post(3, { author: { kind: 'agent', id: 'kit' } }),
      post(4),
      post(5, { to: ['kit'] }),
      post(11),
      post(12),
      post(13),
    ],
    13,
  )
  expect(rows.map(({ isContinued }) => isContinued)).toEqual([false, true, false, false, false, false, true, false])
  expect(rows.map(({ opensDay }) => opensDay)).toEqual([true, ...Array(7).fill(false)])
  expect(rows.at(-1)).toMatchObject({ opensUnread: true })
  const [, tomorrow] = postRows([post(1), post(2, { createdAt: NOON + 24 * 60 * MINUTE })], null)
  expect(tomorrow).toMatchObject({ opensDay: true, isContinued: false })
})

test('[PG235] days have everyday names', () => {
  expect(dayWords(NOON, NOON + MINUTE)).toBe('Today')
  expect(dayWords(NOON - 20 * 60 * MINUTE, NOON)).toBe('Yesterday')
  expect(dayWords(new Date(2026, 10, 2, 9).getTime(), NOON)).toBe('Monday 2 November')
  expect(dayWords(new Date(2024, 10, 3, 9).getTime(), NOON)).toBe('3 November 2024')
})

test('[PG232] the estimated height of a post follows its text, up to the part that is shown', () => {
  expect(postRows([post(7), post(8)], null).map((row) => row.post.seq)).toEqual([8])
  const [short, long, huge] = postRows(
    [post(1), post(2, { body: 'a\n'.repeat(20) }), post(3, { body: 'a'.repeat(32_000) })],
    null,
  ).map((row) => estimateHeight(row))
  expect(long!).toBeGreaterThan(short!)
  expect(huge!).toBeLessThan(1_000)
})

test('[PG236] every credential has plain words without an id', () => {
  const words = (credential: string, author: RoomPost['author']) => credentialWords({ credential, author })
  const ada = { kind: 'agent', id: 'ada' } as const
  const all = [
    words('operator', { kind: 'person', id: 'operator' }),
    words('operator', { kind: 'person', id: 'robin' }),
    words('mediated', ada),
    words('attached', ada),
    words('grant-0193', ada),
    words('server', { kind: 'system' }),
  ]
  expect(new Set(all).size).toBe(all.length)
  expect(all.join()).not.toMatch(/0193|robin|ada/)
})

test('[PG245] the announcement is the start of one post, or the number of posts', () => {
  const nameOf = () => 'Ada'
  expect(arrivalWords([], nameOf)).toBe('')
  expect(arrivalWords([post(1, { body: `Hello\n\n${'x'.repeat(500)}` })], nameOf)).toMatch(/^Ada: Hello x{10,200}$/)
  expect(arrivalWords([post(1), post(2)], nameOf)).toBe('2 new posts')
})
