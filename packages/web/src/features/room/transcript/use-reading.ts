import type { VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { Room } from '../../../api/room/room.ts'
import { endOf } from '../../../live/apply-to-room.ts'
import { OPERATOR_ID } from '../../../shared/agent/participant-name.ts'
import { beginReading, markRead, type Reading, readMark, sawPost, tookPosts } from '../unread.ts'
import type { PostRow } from './post-rows.ts'

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

const NEARLY_PX = 24

interface Screen {
  readonly top: number
  readonly height: number
}

/** Reports the last visible post, and again when the page becomes visible. */
export function useSeen(seq: number | null, saw: (seq: number) => void): void {
  useEffect(() => {
    if (seq === null) return
    const see = () => saw(seq)
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [seq, saw])
}

/** The last post with its end on the screen, or that fills the screen. */
export function lastSeen(items: readonly VirtualItem[], rows: readonly PostRow[], screen: Screen): number | null {
  const bottom = screen.top + screen.height
  const item = items.findLast(({ index, start, end, size }) => {
    if (index >= rows.length || screen.height === 0) return false
    return end <= bottom + NEARLY_PX || (size > screen.height && start <= screen.top)
  })
  return item ? rows[item.index]!.post.seq : null
}
