import { useEffect, useRef } from 'react'
import { isFocusLost } from '../../ui/keyboard/focus-place.ts'
import type { CardFocus } from './use-card-focus.ts'

/**
 * When a task closes, by its button, Escape or Back, focus returns to its card; from the form for a new task, to the
 * element that opened it.
 */
export function useReturnFocus(task: string | undefined, cardFocus: CardFocus): void {
  const before = useRef(task)
  const opener = useRef<Element | null>(null)
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element && !target.closest('aside, dialog, [role="menu"]')) opener.current = target
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  useEffect(() => {
    const closed = before.current
    before.current = task
    if (task !== undefined || closed === undefined) return
    const frame = requestAnimationFrame(() => {
      if (!isFocusLost()) return
      if (closed !== 'new') return cardFocus.focusCard(closed)
      const place = opener.current?.isConnected ? opener.current : document.querySelector('[data-new-task]')
      if (place instanceof HTMLElement) place.focus()
    })
    return () => cancelAnimationFrame(frame)
  })
}
