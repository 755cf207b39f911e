import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { Room } from '../../../api/room/room.ts'
import { endOf } from '../../../live/apply-to-room.ts'
import { OPERATOR_ID } from '../../../shared/agent/is-you.ts'
import { beginReading, type Reading, sawPost, tookPosts } from '../unread.ts'
import { markRead, readMark } from '../unread-store.ts'

/** The posts read in this visit, and the first unread one. `staysAtEnd`: whether the newest post is on the screen. */
export function useReading(
  teamId: string,
  room: Room,
  staysAtEnd: RefObject<boolean>,
): { readonly reading: Reading; readonly saw: (seq: number) => void } {
  const [reading, setReading] = useState(() => beginReading(readMark(teamId), room.head))
  const { head } = room
  const before = useRef(head)
  const isOwn = endOf(room) === head && isOperator(room)
  useEffect(() => {
    const was = before.current
    before.current = head
    if (was >= head) return
    const isSeen = isOwn || (document.visibilityState === 'visible' && staysAtEnd.current)
    setReading((now) => tookPosts(now, { before: was, isSeen }))
  }, [head, isOwn, staysAtEnd])
  useEffect(() => markRead(teamId, reading.read, head), [teamId, reading.read, head])
  const saw = useCallback((seq: number) => {
    if (document.visibilityState === 'visible') setReading((now) => sawPost(now, seq))
  }, [])
  return { reading, saw }
}

function isOperator({ posts }: Room): boolean {
  const author = posts.at(-1)?.author
  return author?.kind === 'person' && author.id === OPERATOR_ID
}
