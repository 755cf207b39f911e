import { expect, test } from 'vitest'
import type { RoomPost } from '../../../live/apply-to-room.ts'
import { foldLines, isHidden, withToggled } from './fold-lines.ts'
import { estimateHeight, postRows } from './post-rows.ts'

const NOON = new Date(2026, 10, 16, 12).getTime()
const MINUTE = 60_000
const systemLine = (seq: number, more: Partial<RoomPost> = {}) =>
  ({
    seq,
    author: { kind: 'system' },
    kind: 'system',
    body: `line ${seq}`,
    to: [],
    taskId: 'a',
    createdAt: NOON + seq * MINUTE,
    ...more,
  }) as RoomPost
const message = (seq: number) => systemLine(seq, { kind: 'peer', author: { kind: 'agent', id: 'ada' }, taskId: 'a' })
const folded = (posts: readonly RoomPost[], line: number | null = null) => foldLines(postRows(posts, line))
const places = (posts: readonly RoomPost[], line: number | null = null) =>
  folded(posts, line).map(({ fold }) => fold && `${fold.first}-${fold.last}`)

test('[PG282] consecutive lines of one task fold until another task, a message, time, a day or the unread line separates them', () => {
  expect(places([systemLine(1), systemLine(2), systemLine(3)])).toEqual(['1-3', '1-3', '1-3'])
  expect(places([systemLine(1), systemLine(2, { taskId: 'b' }), systemLine(3)])).toEqual([null, null, null])
  expect(places([systemLine(1), message(2), systemLine(3)])).toEqual([null, null, null])
  expect(places([message(1), message(2)])).toEqual([null, null])
  expect(places([systemLine(1, { taskId: null }), systemLine(2, { taskId: null })])).toEqual([null, null])
  expect(places([systemLine(1), systemLine(2), systemLine(3, { createdAt: NOON + 4 * MINUTE })])).toEqual([
    '1-2',
    '1-2',
    null,
  ])
  expect(places([systemLine(1), systemLine(2), systemLine(3), systemLine(4)], 3)).toEqual(['1-2', '1-2', '3-4', '3-4'])
  const midnight = new Date(2026, 10, 17).getTime()
  expect(places([systemLine(1, { createdAt: midnight - 1 }), systemLine(2, { createdAt: midnight })])).toEqual([
    null,
    null,
  ])
})

test('[PG282] every post keeps its row, and a line that joins changes no earlier row', () => {
  const before = [message(1), systemLine(2), systemLine(3)]
  const after = [...before, systemLine(4)]
  expect(folded(after).map(({ post }) => post.seq)).toEqual([1, 2, 3, 4])
  const nothing: ReadonlySet<number> = new Set()
  const shown = (posts: readonly RoomPost[]) => folded(posts).map((row) => !isHidden(row, nothing))
  expect([shown(before), shown(after)]).toEqual([
    [true, true, false],
    [true, true, false, false],
  ])
  expect(folded(after)[1]!.fold!.newest.seq).toBe(4)
  const burst = Array.from({ length: 100 }, (_, at) => systemLine(at + 1, { createdAt: NOON + at }))
  expect(new Set(places(burst))).toEqual(new Set(['1-40', '41-80', '81-100']))
})

test('[PG282] a fold opens by any of its posts, such as the one in the address, and closes as a whole', () => {
  const rows = folded([systemLine(1), systemLine(2), systemLine(3)])
  const hidden = (unfolded: ReadonlySet<number>) => rows.map((row) => isHidden(row, unfolded))
  expect(hidden(new Set())).toEqual([false, true, true])
  expect(hidden(new Set([2]))).toEqual([false, false, false])
  const { fold } = rows[0]!
  const open = withToggled(new Set(), fold!)
  expect(hidden(open)).toEqual([false, false, false])
  expect([...withToggled(new Set([2, 3, 9]), fold!)]).toEqual([9])
  expect(rows.map((row) => estimateHeight(row, isHidden(row, new Set())) > 0)).toEqual([true, false, false])
})
