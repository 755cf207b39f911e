import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const NEAR_END_PX = 48

interface StayOptions {
  /** Whether a person is at the newest, and stays there. */
  readonly stays: RefObject<boolean>
  readonly isThere: boolean
  readonly mayStay: boolean
  /** A way is being looked for: it leads up and down by itself. */
  readonly isGoing: boolean
  readonly height: number
}

/** Keeps the newest in sight while a person is there, however it grows. Only a person scrolls up. */
export function useStayAtEnd(
  scroller: RefObject<HTMLElement | null>,
  { stays, isThere, mayStay, isGoing, height }: StayOptions,
): void {
  // The end of what is kept is not the newest while there is more to read behind it.
  const isNewest = useRef(mayStay)
  isNewest.current = mayStay
  const goes = useRef(isGoing)
  goes.current = isGoing
  useEffect(() => {
    const area = scroller.current
    if (!area || !isThere) return
    let top = area.scrollTop
    const look = () => {
      if (distanceToEnd(area) < NEAR_END_PX) stays.current = isNewest.current
      else if (area.scrollTop < top && !goes.current) stays.current = false
      top = area.scrollTop
    }
    // What is said below it may take its room: a growing message field, a note.
    const observer = new ResizeObserver(() => {
      if (stays.current) area.scrollTop = area.scrollHeight
    })
    observer.observe(area)
    area.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      area.removeEventListener('scroll', look)
    }
  }, [scroller, stays, isThere])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment it grew
  useLayoutEffect(() => {
    const area = scroller.current
    if (area && mayStay && stays.current) area.scrollTop = area.scrollHeight
  }, [scroller, stays, mayStay, height])
}

function distanceToEnd(area: HTMLElement): number {
  return area.scrollHeight - area.scrollTop - area.clientHeight
}
