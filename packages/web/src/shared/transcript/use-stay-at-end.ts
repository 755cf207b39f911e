import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

export const NEAR_END_PX = 48

interface StayOptions {
  readonly scroller: RefObject<HTMLElement | null>
  /** The lower edge of this element is the end. */
  readonly content: RefObject<HTMLElement | null>
  /** Whether the person is at the end and wants to stay there. */
  readonly stays: RefObject<boolean>
  /** The position that the page itself scrolled to: reaching it does not mean that the person left the end. */
  readonly ownTop?: RefObject<number>
  /** Whether the scroller is on the page. */
  readonly isThere?: boolean
  /** False while newer content is still to be loaded, or while nothing grows. */
  readonly mayStay?: boolean
  /** Changes when the content grew. */
  readonly growth: unknown
}

/** Keeps the newest content in view while the person is at the end. Scrolling up ends that; reaching the end resumes it. */
export function useStayAtEnd(options: StayOptions): { readonly isAtEnd: boolean; readonly toEnd: () => void } {
  const { scroller, content, stays, isThere = true, mayStay = true, growth } = options
  const noTop = useRef(-1)
  const ownTop = options.ownTop ?? noTop
  const [isAtEnd, setAtEnd] = useState(true)
  const mayStayNow = useRef(mayStay)
  mayStayNow.current = mayStay
  const toEnd = useCallback(() => {
    stays.current = true
    setAtEnd(true)
    const area = scroller.current
    if (!area || !content.current) return
    area.scrollTop += Math.ceil(distanceToEnd(area, content.current))
    ownTop.current = area.scrollTop
  }, [scroller, content, stays, ownTop])
  useEffect(() => {
    const area = scroller.current
    const inside = content.current
    if (!area || !inside || !isThere) return
    let top = area.scrollTop
    const look = () => {
      const isOwn = Math.abs(area.scrollTop - ownTop.current) < 1
      if (distanceToEnd(area, inside) < NEAR_END_PX) stays.current = mayStayNow.current
      // Only a person scrolls up. A growing distance to the end alone may mean that content was added.
      else if (area.scrollTop < top && !isOwn) stays.current = false
      top = area.scrollTop
      setAtEnd(stays.current)
    }
    // The area shrinks when the message field below it grows.
    const observer = new ResizeObserver(() => (stays.current && mayStayNow.current ? toEnd() : look()))
    observer.observe(inside)
    observer.observe(area)
    area.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      area.removeEventListener('scroll', look)
    }
  }, [scroller, content, stays, ownTop, toEnd, isThere])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the content grew
  useLayoutEffect(() => {
    if (mayStay && stays.current) toEnd()
  }, [stays, toEnd, mayStay, growth])
  return { isAtEnd, toEnd }
}

function distanceToEnd(area: HTMLElement, inside: HTMLElement): number {
  return inside.getBoundingClientRect().bottom - area.getBoundingClientRect().bottom
}
