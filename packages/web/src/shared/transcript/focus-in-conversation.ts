import { focusHeading } from '../../ui/keyboard/focus-place.ts'

/** The next question on the page that waits, or the heading. */
export function focusNextAnswers(): void {
  const next = document.querySelector<HTMLElement>('[data-answers]')
  if (next) next.focus()
  else focusHeading()
}

/**
 * The next question that waits, or where a person writes. On a phone the cursor there would bring up the keyboard, so
 * the transcript has it.
 */
export function focusInConversation(field: HTMLElement | null): void {
  const next = document.querySelector<HTMLElement>('[data-answers]')
  const isTouch = matchMedia('(pointer: coarse)').matches
  const home = next ?? (isTouch ? document.querySelector<HTMLElement>('[role="log"]') : field)
  home?.focus({ preventScroll: next === null })
}
