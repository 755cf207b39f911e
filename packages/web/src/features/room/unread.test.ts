import { expect, test } from 'vitest'
import { readRoomSearch } from '../../app/router.tsx'
import { beginReading, isUnread, laterMarks, parseMarks, sawPost, tookPosts } from './unread.ts'

test('[PG241] a visit starts where the last one stopped, and a first visit counts everything as read', () => {
  expect(beginReading(undefined, 100)).toEqual({ read: 100, line: null })
  expect(beginReading(100, 100)).toEqual({ read: 100, line: null })
  expect(beginReading(97, 100)).toEqual({ read: 97, line: 98 })
  // The room was reset.
  expect(beginReading(500, 100)).toEqual({ read: 100, line: null })
})

test('[PG241] unseen posts get a line above the first of them', () => {
  const start = beginReading(10, 10)
  expect(tookPosts(start, { before: 10, isSeen: true })).toBe(start)
  const away = tookPosts(start, { before: 10, isSeen: false })
  expect(away).toEqual({ read: 10, line: 11 })
  expect(tookPosts(away, { before: 11, isSeen: false })).toBe(away)
  const seen = sawPost(away, 12)
  expect(seen).toEqual({ read: 12, line: 11 })
  expect(sawPost(seen, 5)).toBe(seen)
  expect(tookPosts(seen, { before: 12, isSeen: false }).line).toBe(13)
})

test('[PG241] the marks of two tabs are merged, and invalid marks in the storage are ignored', () => {
  expect(laterMarks({ a: 3, b: 9 }, { a: 5, c: 1 })).toEqual({ a: 5, b: 9, c: 1 })
  expect(parseMarks('{"a":3,"b":-1,"c":"x","d":1.5}')).toEqual({ a: 3 })
  for (const text of [null, '', '[]', '7', '{', 'null']) expect(parseMarks(text)).toEqual({})
  expect([isUnread(undefined, 5), isUnread(5, undefined), isUnread(5, 5), isUnread(4, 5)]).toEqual([
    false,
    false,
    false,
    true,
  ])
})

test('[PG242] an address with an invalid value names no post', () => {
  expect(readRoomSearch({ post: '12' })).toEqual({ post: 12 })
  for (const post of ['0', '-1', 'x', '1.5', '', undefined, '9007199254740993'])
    expect(readRoomSearch({ post })).toStrictEqual({ post: undefined })
})
