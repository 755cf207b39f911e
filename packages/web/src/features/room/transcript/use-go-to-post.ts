import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Room, useGoInRoom } from '../../../api/room/room.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { firstShown } from './post-rows.ts'

/** Rows get their height when they render, so nothing may be added above the target in the meantime. */
const SETTLED_AFTER_MS = 200
const SETTLED_AFTER_FRAMES = 4

export type Align = 'start' | 'center' | 'auto'

interface GoOptions {
  readonly teamId: string
  readonly room: Room
  readonly line: number | null
  readonly marked: number | undefined
  readonly sent: number
  readonly toEnd: () => void
  readonly toRow: (seq: number, align: Align) => void
}

/**
 * Scrolls to a position in the room: on opening, when the address names a post, and on a jump to the newest. Posts
 * that are not loaded are fetched first.
 */
export function useGoToPost(options: GoOptions): { readonly toNewest: () => void; readonly isGoing: boolean } {
  const { teamId, room, line, marked, sent, toEnd, toRow } = options
  const { mutate: go, isPending } = useGoInRoom(teamId)
  const wanted = useRef<'newest' | number | null>(line ?? 'newest')
  const wantedMark = useRef<number | undefined>(undefined)
  const isHere = useCallback(
    (place: 'newest' | number) =>
      place === 'newest' ? room.follows : place >= firstShown(room.posts) && place <= (room.posts.at(-1)?.seq ?? 0),
    [room],
  )
  const { isSettling, settle } = useSettling()
  const isOpen = useRef(false)
  const goneTo = useRef<{ readonly seq: number; readonly align: Align } | null>(null)
  const asked = useRef<'newest' | number | null>(null)
  const pursue = useCallback(() => {
    const place = wanted.current
    if (place === null) return
    if (isHere(place)) {
      wanted.current = null
      settle()
      const isShown = isOpen.current && asked.current === null
      isOpen.current = true
      const align = place !== wantedMark.current ? 'start' : isShown ? 'auto' : 'center'
      goneTo.current = place === 'newest' ? null : { seq: place, align }
      if (place === 'newest') toEnd()
      else toRow(place, align)
    } else if (asked.current !== place) {
      asked.current = place
      go(place, { onError: (error) => announce(readProblem(error, 'this part of the room').title, 'bad') })
    }
  }, [isHere, go, settle, toEnd, toRow])
  const want = useCallback(
    (place: 'newest' | number) => {
      wanted.current = place
      asked.current = null
      pursue()
    },
    [pursue],
  )
  useLayoutEffect(() => {
    if (marked === wantedMark.current) return
    wantedMark.current = marked
    if (marked === undefined) return
    if (marked > room.head) announce('This post does not exist.')
    else want(marked)
  }, [marked, room.head, want])
  useWhenChanged(sent, () => want('newest'))
  // An earlier request may add posts above the target, which then has another row.
  useWhenChanged(toRow, () => {
    if (isSettling && goneTo.current) toRow(goneTo.current.seq, goneTo.current.align)
  })
  // After every change, because the target may have loaded.
  useLayoutEffect(pursue)
  return { toNewest: useCallback(() => want('newest'), [want]), isGoing: isPending || isSettling }
}

/** True for a moment after each call of `settle`, and after the first render. */
function useSettling(): { readonly isSettling: boolean; readonly settle: () => void } {
  const [settling, setSettling] = useState(1)
  useEffect(() => {
    if (settling === 0) return
    let frame = 0
    const afterFrames = (left: number) => {
      frame = requestAnimationFrame(() => (left === 0 ? setSettling(0) : afterFrames(left - 1)))
    }
    const timer = setTimeout(() => afterFrames(SETTLED_AFTER_FRAMES), SETTLED_AFTER_MS)
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
  }, [settling])
  return { isSettling: settling > 0, settle: useCallback(() => setSettling((count) => count + 1), []) }
}

function useWhenChanged(value: unknown, run: () => void): void {
  const before = useRef(value)
  useLayoutEffect(() => {
    if (before.current === value) return
    before.current = value
    run()
  })
}
