import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const REACHABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]'

/** Whether the focused element is gone. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** Not at once: a closing dialog returns the focus itself, a moment later. */
export function whenLost(goOn: () => void): void {
  requestAnimationFrame(() => {
    if (isFocusLost()) goOn()
  })
}

/** Focuses the page's heading, when nothing nearer is left. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#main h1')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/** Focuses the first usable element inside; false when there is none. */
export function focusFirstIn(place: Element | null | undefined): boolean {
  const first = place?.isConnected ? place.querySelector<HTMLElement>(REACHABLE) : null
  first?.focus()
  return first !== null && first !== undefined
}

/** In a list: the entry itself, the next one and the previous one. */
export function placesNear(element: Element | null): readonly (Element | null | undefined)[] {
  const entry = element?.closest('li, [role="listitem"]')
  return [entry, entry?.nextElementSibling, entry?.previousElementSibling]
}

/** For an element that can disappear, or lose its buttons, while it has the focus. `goOn` moves the focus. */
export function usePassesFocus<Box extends HTMLElement>(goOn: () => void): RefObject<Box | null> {
  const box = useRef<Box>(null)
  const current = useRef(goOn)
  current.current = goOn
  const had = useRef(false)
  useEffect(() => {
    const note = () => {
      had.current = box.current?.contains(document.activeElement) ?? false
    }
    const leave = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) had.current = false
    }
    note()
    // Not `blur`: browsers do not send it when the focused element is removed.
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', leave)
    return () => {
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', leave)
    }
  }, [])
  useLayoutEffect(() => {
    // Everything outside an open dialog is inert; the dialog returns the focus itself.
    if (had.current && isFocusLost() && !document.querySelector('dialog[open]')) current.current()
  })
  useLayoutEffect(
    () => () => {
      if (!had.current) return
      const near = placesNear(box.current)
      // After it is removed from the page, and unless other code has moved the focus.
      setTimeout(() => {
        if (isFocusLost() && !near.some(focusFirstIn)) current.current()
      })
    },
    [],
  )
  return box
}
