import type { TaskStatus } from '@clawboo/core/board'
import { type RefCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { focusHeading, isFocusLost, useFocusMoves } from '../../ui/keyboard/focus-place.ts'
import type { ColumnHandle } from './column-view.tsx'

export interface CardFocus {
  readonly columnRef: (status: TaskStatus) => RefCallback<ColumnHandle>
  /** Falls back to the page's heading if the card is not on the board. */
  readonly focusCard: (id: string) => void
}

/** Focuses cards, and follows the focused card when it moves to another column. */
export function useCardFocus(): CardFocus {
  const [handles] = useState(() => new Map<TaskStatus, ColumnHandle>())
  const [refs] = useState(() => new Map<TaskStatus, RefCallback<ColumnHandle>>())
  const had = useRef<string | null>(null)
  useFocusMoves((target) => {
    had.current = target?.closest<HTMLElement>('[data-card]')?.dataset.card ?? null
  })
  const find = (id: string) => [...handles.values()].some((handle) => handle.focusCard(id))
  useLayoutEffect(() => {
    if (had.current === null || !isFocusLost() || document.querySelector('dialog[open]')) return
    find(had.current)
  })
  return {
    columnRef: (status) => {
      const known = refs.get(status)
      if (known) return known
      const ref: RefCallback<ColumnHandle> = (handle) => {
        if (handle) handles.set(status, handle)
        else handles.delete(status)
      }
      refs.set(status, ref)
      return ref
    },
    focusCard: (id) => {
      if (!find(id)) focusHeading()
    },
  }
}

/**
 * When a task closes, by its button, Escape or Back, focus returns to its card; from the form for a new task, to the
 * element that opened it.
 */
export function useReturnFocus(task: string | undefined, cardFocus: CardFocus): void {
  const before = useRef(task)
  const opener = useRef<Element | null>(null)
  useFocusMoves((target, isPointer) => {
    if (!isPointer && target && !target.closest('aside, dialog, [role="menu"]')) opener.current = target
  })
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
