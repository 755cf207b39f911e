import type { VirtualItem } from '@tanstack/react-virtual'
import { useEffect } from 'react'
import type { PostRow } from './post-rows.ts'

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
