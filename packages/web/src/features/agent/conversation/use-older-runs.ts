import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const NEAR_TOP_PX = 600

/** Loads older runs near the top, and keeps the first visible run in its place when they appear above it. */
export function useOlderRuns(options: {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLElement | null>
  /** Changes when runs were added at the top. */
  readonly firstKey: string | undefined
  readonly stays: RefObject<boolean>
  readonly onNearTop: () => void
}): void {
  const { scroller, content, firstKey, stays } = options
  const anchor = useRef<{ readonly element: Element; readonly top: number } | null>(null)
  const onNearTop = useRef(options.onNearTop)
  onNearTop.current = options.onNearTop
  useEffect(() => {
    const area = scroller.current
    const inside = content.current
    if (!area || !inside) return
    const look = () => {
      anchor.current = firstVisible(area, inside)
      if (area.scrollTop < NEAR_TOP_PX) onNearTop.current()
    }
    area.addEventListener('scroll', look, { passive: true })
    look()
    return () => area.removeEventListener('scroll', look)
  }, [scroller, content])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when older runs were added
  useLayoutEffect(() => {
    const area = scroller.current
    if (!area || stays.current || !anchor.current?.element.isConnected) return
    area.scrollTop += anchor.current.element.getBoundingClientRect().top - anchor.current.top
  }, [scroller, stays, firstKey])
}

function firstVisible(area: HTMLElement, inside: HTMLElement) {
  const edge = area.getBoundingClientRect().top
  for (const element of inside.querySelectorAll('[data-run]')) {
    const { top, bottom } = element.getBoundingClientRect()
    if (bottom > edge) return { element, top }
  }
  return null
}
