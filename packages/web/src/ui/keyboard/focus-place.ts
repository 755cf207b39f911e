import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

const REACHABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]'

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

/**
 * Reports each element that gets the focus or is pressed. Not `blur`: browsers do not send it when the focused element is
 * removed.
 */
export function useFocusMoves(note: (target: Element | null, isPointer: boolean) => void): void {
  const current = useRef(note)
  current.current = note
  useEffect(() => {
    const listen = ({ target, type }: Event) =>
      current.current(target instanceof Element ? target : null, type === 'pointerdown')
    document.addEventListener('focusin', listen)
    document.addEventListener('pointerdown', listen)
    return () => {
      document.removeEventListener('focusin', listen)
      document.removeEventListener('pointerdown', listen)
    }
  }, [])
}

/** For an element that can disappear, or lose its buttons, while it has the focus. `goOn` moves the focus. */
export function usePassesFocus<Box extends HTMLElement>(goOn: () => void): RefObject<Box | null> {
  const box = useRef<Box>(null)
  const current = useRef(goOn)
  current.current = goOn
  const had = useRef(false)
  useEffect(() => {
    had.current = box.current?.contains(document.activeElement) ?? false
  }, [])
  useFocusMoves((target, isPointer) => {
    if (!isPointer) had.current = box.current?.contains(document.activeElement) ?? false
    else if (!box.current?.contains(target)) had.current = false
  })
  useLayoutEffect(() => {
    // Everything outside an open dialog is inert; the dialog returns the focus itself.
    if (had.current && isFocusLost() && !document.querySelector('dialog[open]')) current.current()
  })
  useLayoutEffect(
    () => () => {
      if (!had.current) return
      const near = placesNear(box.current)
      // Runs after the element is removed, and only if no other code has moved the focus.
      setTimeout(() => {
        if (isFocusLost() && !near.some(focusFirstIn)) current.current()
      })
    },
    [],
  )
  return box
}
