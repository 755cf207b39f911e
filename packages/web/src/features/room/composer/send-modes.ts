export type SendMode = 'queue' | 'steer'

/** What becomes of a message while an exchange is under way; the first unless one chooses. */
export const SEND_MODES: readonly { readonly mode: SendMode; readonly label: string; readonly about: string }[] = [
  { mode: 'queue', label: 'Queue', about: 'Waits behind what is under way' },
  { mode: 'steer', label: 'Steer', about: 'Joins what is under way' },
]

/** How a message is sent; null = there is nothing to wait for or to join. */
export function modeInForce(open: readonly unknown[], chosen: SendMode): SendMode | null {
  return open.length === 0 ? null : chosen
}

/** What becomes of the message. `joins`: whether there is something that it would join; undefined = not known. */
export function modeWords(mode: SendMode, joins: boolean | undefined): string {
  if (mode === 'steer' && joins === false) return 'There is nothing to join just now: it begins anew'
  return SEND_MODES.find((known) => known.mode === mode)!.about
}

/** What a screen reader is told once it is sent. */
export function sentWords(mode: SendMode | null, joined: boolean): string {
  if (joined) return 'Sent. It joins what is under way.'
  return mode === 'queue' ? 'Sent. It waits behind what is under way.' : 'Sent.'
}
