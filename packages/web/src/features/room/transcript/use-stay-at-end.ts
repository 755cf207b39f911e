import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'

export const NEAR_END_PX = 48

interface StayOptions {
  readonly scroller: RefObject<HTMLElement | null>
  /** Whether a person is at the newest, and stays there. */
  readonly stays: RefObject<boolean>
  /** Where the page itself has scrolled to: nobody has left the newest by that. */
  readonly ownTop: RefObject<number>
  readonly isThere: boolean
  /** The end of what is kept is not the newest while there is more to read behind it. */
  readonly mayStay: boolean
  readonly height: number
}

/** Keeps the newest in sight while a person is there, however it grows. Answers how to go there. */
export function useStayAtEnd({ scroller, stays, ownTop, isThere, mayStay, height }: StayOptions): () => void {
  const isNewest = useRef(mayStay)
  isNewest.current = mayStay
  const toEnd = useCallback(() => {
    const area = scroller.current
    stays.current = true
    if (!area) return
    area.scrollTop = area.scrollHeight
    ownTop.current = area.scrollTop
  }, [scroller, stays, ownTop])
  useEffect(() => {
    const area = scroller.current
    if (!area || !isThere) return
    let top = area.scrollTop
    const look = () => {
      const isOwn = Math.abs(area.scrollTop - ownTop.current) < 1
      if (distanceToEnd(area) < NEAR_END_PX) stays.current = isNewest.current
      else if (area.scrollTop < top && !isOwn) stays.current = false
      top = area.scrollTop
    }
    // What stands below takes room as it grows: the message field, a note.
    const observer = new ResizeObserver(() => {
      if (stays.current) toEnd()
    })
    observer.observe(area)
    area.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      area.removeEventListener('scroll', look)
    }
  }, [scroller, stays, ownTop, toEnd, isThere])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment it grew
  useLayoutEffect(() => {
    if (mayStay && stays.current) toEnd()
  }, [stays, toEnd, mayStay, height])
  return toEnd
}

function distanceToEnd(area: HTMLElement): number {
  return area.scrollHeight - area.scrollTop - area.clientHeight
}
