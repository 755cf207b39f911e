import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** Keeps the end of a text that grows in view, for whoever is there; who scrolled up stays where they are. */
export function useFollowEnd(content: unknown, following: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const isThere = useRef(true)
  useEffect(() => {
    if (!end.current) return
    const watch = new IntersectionObserver(
      ([seen]) => {
        isThere.current = seen?.isIntersecting ?? false
      },
      { rootMargin: '0px 0px 80px 0px' },
    )
    watch.observe(end.current)
    return () => watch.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (following && content && isThere.current) end.current?.scrollIntoView({ block: 'end' })
  }, [following, content])
  return end
}
