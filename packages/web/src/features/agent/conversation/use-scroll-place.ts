import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR_END_PX = 48
const NEAR_TOP_PX = 600

/**
 * Stays at the newest while a person is there, and never moves what they read otherwise: neither when something comes
 * below nor when older parts come above.
 */
export function useScrollPlace(options: {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLElement | null>
  /** Changes when something is put above. */
  readonly firstKey: string | undefined
  readonly onNearTop: () => void
}) {
  const { scroller, content, firstKey } = options
  const [atEnd, setAtEnd] = useState(true)
  const stays = useRef(true)
  const anchor = useRef<{ readonly element: Element; readonly top: number } | null>(null)
  const onNearTop = useRef(options.onNearTop)
  onNearTop.current = options.onNearTop

  const toEnd = useCallback(() => {
    const area = scroller.current
    if (!area) return
    stays.current = true
    setAtEnd(true)
    area.scrollTop = area.scrollHeight
  }, [scroller])

  useEffect(() => {
    const area = scroller.current
    const inside = content.current
    if (!area || !inside) return
    let top = area.scrollTop
    const look = () => {
      const nearEnd = area.scrollHeight - area.scrollTop - area.clientHeight < NEAR_END_PX
      // Only a person scrolls up; being far from the end may just mean that something came since.
      if (nearEnd) stays.current = true
      else if (area.scrollTop < top) stays.current = false
      top = area.scrollTop
      setAtEnd(stays.current)
      anchor.current = firstVisible(area, inside)
      if (area.scrollTop < NEAR_TOP_PX) onNearTop.current()
    }
    const observer = new ResizeObserver(() => {
      if (stays.current) area.scrollTop = area.scrollHeight
    })
    observer.observe(inside)
    observer.observe(area)
    area.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      area.removeEventListener('scroll', look)
    }
  }, [scroller, content])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment something came above
  useLayoutEffect(() => {
    const area = scroller.current
    if (!area) return
    if (stays.current) area.scrollTop = area.scrollHeight
    else if (anchor.current?.element.isConnected) {
      area.scrollTop += anchor.current.element.getBoundingClientRect().top - anchor.current.top
    }
  }, [scroller, firstKey])

  return { atEnd, toEnd }
}

function firstVisible(area: HTMLElement, inside: HTMLElement) {
  const edge = area.getBoundingClientRect().top
  for (const element of inside.querySelectorAll('[data-run]')) {
    const { top, bottom } = element.getBoundingClientRect()
    if (bottom > edge) return { element, top }
  }
  return null
}
