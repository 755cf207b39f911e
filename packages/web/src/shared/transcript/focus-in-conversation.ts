import { focusHeading } from '../../ui/keyboard/focus-place.ts'

/** Focuses the next open approval on the page, or the heading. */
export function focusNextAnswers(): void {
  const next = document.querySelector<HTMLElement>('[data-answers]')
  if (next) next.focus()
  else focusHeading()
}

/** Focuses the next open approval, or the message field. On a phone the field would open the keyboard, so the transcript gets the focus. */
export function focusInConversation(field: HTMLElement | null): void {
  const next = document.querySelector<HTMLElement>('[data-answers]')
  const isTouch = matchMedia('(pointer: coarse)').matches
  const home = next ?? (isTouch ? document.querySelector<HTMLElement>('[role="log"]') : field)
  home?.focus({ preventScroll: next === null })
}
