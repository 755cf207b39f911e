import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const NEAR_END_PX = 48

/** Keeps the newest in sight while a person is there, however it grows. Only a person scrolls up. */
export function useStayAtEnd(
  scroller: RefObject<HTMLElement | null>,
  { isThere, mayStay, height }: { readonly isThere: boolean; readonly mayStay: boolean; readonly height: number },
): void {
  const stays = useRef(false)
  // The end of what is kept is not the newest while there is more to read behind it.
  const isNewest = useRef(mayStay)
  isNewest.current = mayStay
  useEffect(() => {
    const area = scroller.current
    if (!area || !isThere) return
    let top = area.scrollTop
    const look = () => {
      if (distanceToEnd(area) < NEAR_END_PX) stays.current = isNewest.current
      else if (area.scrollTop < top) stays.current = false
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
  }, [scroller, isThere])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment it grew
  useLayoutEffect(() => {
    const area = scroller.current
    if (area && mayStay && stays.current) area.scrollTop = area.scrollHeight
  }, [scroller, mayStay, height])
}

function distanceToEnd(area: HTMLElement): number {
  return area.scrollHeight - area.scrollTop - area.clientHeight
}
