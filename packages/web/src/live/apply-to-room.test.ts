import type { ExchangeView, LiveEvent } from '@clawboo/api/live-event'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyToRoom,
  endOf,
  isBehind,
  MOST_KEPT,
  type Room,
  type RoomPost,
  toRoom,
  withNewer,
  withOlder,
} from './apply-to-room.ts'

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
  createdAt: seq,
  ...more,
})
const posts = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => post(from + at))
const room = (from: number, to: number, head = to): Room => ({
  posts: posts(from, to),
  head,
  exchanges: [],
  ended: null,
  follows: to === head,
})
const posted = (seq: number, more?: Partial<RoomPost>): LiveEvent => ({
  type: 'team-chat-posted',
  post: post(seq, more),
})
const exchange = (more: Partial<ExchangeView> = {}): ExchangeView => ({
  id: 'x1',
  teamId: 'launch',
  ordinal: 1,
  status: 'running',
  reason: null,
  stimulusSeq: 1,
  turns: 0,
  bound: 5,
  speaker: null,
  pending: [],
  chains: [],
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  ...more,
})
const changed = (more?: Partial<ExchangeView>): LiveEvent => ({ type: 'exchange-changed', exchange: exchange(more) })
const numbers = ({ posts: kept }: Room) => kept.map(({ seq }) => seq)

test('[PG233] the next post is appended; a repeated, an older and another team’s post change nothing', () => {
  const start = room(5, 7)
  const next = applyToRoom(start, [posted(8)], 'launch')
  expect(numbers(next)).toEqual([5, 6, 7, 8])
  expect(next.head).toBe(8)
  for (const event of [posted(8), posted(6), posted(9, { teamId: 'other' })])
    expect(applyToRoom(next, [event], 'launch')).toBe(next)
})

test('[PG233] skipped numbers and shortened posts count as missing until they are loaded', () => {
  const gap = applyToRoom(room(5, 7), [posted(9)], 'launch')
  expect([numbers(gap), gap.head, isBehind(gap)]).toEqual([[5, 6, 7], 9, true])
  const whole = withNewer(gap, { posts: [post(8), post(9)], head: 9 })
  expect([numbers(whole), isBehind(whole)]).toEqual([[5, 6, 7, 8, 9], false])
  const cut = applyToRoom(room(5, 7), [posted(8, { body: `${'a'.repeat(1_999)}…` })], 'launch')
  expect([numbers(cut), isBehind(cut)]).toEqual([[5, 6, 7], true])
  const uncut = applyToRoom(room(5, 7), [posted(8, { body: 'a'.repeat(1_990) })], 'launch')
  expect(isBehind(uncut)).toBe(false)
})

test('[PG233] a loaded part that does not reach the end only updates the head', () => {
  const far = applyToRoom(room(5, 7, 100), [posted(101)], 'launch')
  expect([numbers(far), far.head, isBehind(far)]).toEqual([[5, 6, 7], 101, false])
})

test('[PG232] loaded posts join at either end or are dropped, and a long part loses its far end', () => {
  expect(numbers(withOlder(room(5, 7), { posts: posts(2, 4) }))).toEqual([2, 3, 4, 5, 6, 7])
  const start = room(5, 7, 20)
  expect(withOlder(start, { posts: posts(1, 2) })).toBe(start)
  expect(withNewer(start, { posts: posts(10, 12), head: 20 })).toBe(start)
  const on = withNewer(start, { posts: posts(6, 9), head: 20 })
  expect([numbers(on), on.follows]).toEqual([[5, 6, 7, 8, 9], false])
  expect(withNewer(on, { posts: posts(10, 20), head: 20 }).follows).toBe(true)
  const long = withOlder(room(101, 100 + MOST_KEPT), { posts: posts(1, 100) })
  expect([long.posts.length, long.posts[0]!.seq, long.follows]).toEqual([MOST_KEPT, 1, false])
  const back = withNewer(long, { posts: posts(MOST_KEPT + 1, MOST_KEPT + 100), head: 100 + MOST_KEPT })
  expect([back.posts[0]!.seq, endOf(back), back.follows]).toEqual([101, 100 + MOST_KEPT, true])
})

test('[PG234] whatever the feed repeats or skips, loading the missing posts gives every post once, in order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      (start, delivered, page) => {
        let now = toRoom({ ...room(1, start), next: start, hasMore: false, posts: posts(1, start), exchanges: [] })
        for (const seq of delivered) {
          now = applyToRoom(now, [posted(seq)], 'launch')
          if (isBehind(now) && seq % 2 === 0)
            now = withNewer(now, {
              posts: posts(endOf(now) + 1, Math.min(now.head, endOf(now) + page)),
              head: now.head,
            })
        }
        while (isBehind(now))
          now = withNewer(now, { posts: posts(endOf(now) + 1, Math.min(now.head, endOf(now) + page)), head: now.head })
        const head = Math.max(start, ...delivered)
        expect(numbers(now)).toEqual(Array.from({ length: head }, (_, at) => at + 1))
      },
    ),
  )
})

test('[PG233] an exchange is followed from queued to ended, and its end is shown until another one starts', () => {
  const queued = applyToRoom(room(1, 1), [changed({ status: 'queued' }), changed({ id: 'x0', ordinal: 0 })], 'launch')
  expect(queued.exchanges.map(({ id }) => id)).toEqual(['x0', 'x1'])
  const speaker = { agentId: 'kit', runId: 'r', turn: 1, because: 'obligation', chainId: 'c' } as const
  const selected: LiveEvent = { type: 'speaker-selected', teamId: 'launch', exchangeId: 'x1', ...speaker, bound: 4 }
  const speaking = applyToRoom(queued, [selected], 'launch')
  expect(speaking.exchanges[1]).toMatchObject({ speaker, bound: 4 })
  const ended = applyToRoom(speaking, [changed({ status: 'ended', reason: 'max_turns' })], 'launch')
  expect([ended.exchanges.length, ended.ended?.reason]).toEqual([1, 'max_turns'])
  const takenBack = changed({ id: 'x2', ordinal: 2, status: 'ended', reason: 'aborted', startedAt: null })
  expect(applyToRoom(ended, [takenBack], 'launch').ended?.id).toBe('x1')
  expect(applyToRoom(ended, [changed({ id: 'x3', ordinal: 3 })], 'launch').ended).toBeNull()
})
