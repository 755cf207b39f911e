import { type RefObject, useLayoutEffect, useRef } from 'react'
import { focusHeading, isFocusLost, useFocusMoves } from '../../ui/keyboard/focus-place.ts'

/** When an item is answered, here or elsewhere, it leaves the list. Focus then moves to the next item, or to the heading. */
export function useNextItemFocus(ids: readonly string[]): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null)
  const had = useRef<string | null>(null)
  const before = useRef(ids)
  useFocusMoves((target) => {
    const item = target?.closest<HTMLElement>('[data-item]')
    had.current = item && list.current?.contains(item) ? (item.dataset.item ?? null) : null
  })
  useLayoutEffect(() => {
    const last = before.current
    before.current = ids
    if (had.current === null || ids.includes(had.current) || !isFocusLost()) return
    const next = nextItem(last, ids, had.current)
    had.current = next
    if (next === null) focusHeading()
    else list.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(next)}"] [data-answers]`)?.focus()
  })
  return list
}

/** The item that gets the focus when the focused one is gone: the next, else the previous; null = none. */
export function nextItem(before: readonly string[], now: readonly string[], had: string): string | null {
  const at = before.indexOf(had)
  const left = (id: string) => now.includes(id)
  return before.slice(at + 1).find(left) ?? before.slice(0, Math.max(0, at)).findLast(left) ?? now[0] ?? null
}
