/** An answer that is this and nothing else is not delivered. */
export const SILENT_TOKEN = 'NO_REPLY'

export function isSilentReply(text: string): boolean {
  return text.trim().toUpperCase() === SILENT_TOKEN
}

/** Whether a text that is still growing could end as a silent reply. A space alone still could. */
export function mayBecomeSilent(text: string): boolean {
  const said = text.trim().toUpperCase()
  // Nothing but white space may follow the token, so a gap inside a part of it settles the matter.
  if (said.length < SILENT_TOKEN.length && said !== '' && /\s$/.test(text)) return false
  return SILENT_TOKEN.startsWith(said)
}

/** One answer on its way: what is held back, or null once something was passed on. */
export type HeldBack = string | null

export const NOTHING_HELD: HeldBack = ''

/**
 * Takes a chunk of one answer and gives what may be passed on now. Holds back as long as the whole could be a silent
 * reply; `ended` decides it.
 */
export function passOn(held: HeldBack, chunk: string, ended: boolean): { held: HeldBack; release: string } {
  if (held === null) return { held, release: chunk }
  const text = held + chunk
  const hold = ended ? isSilentReply(text) : mayBecomeSilent(text)
  return hold ? { held: text, release: '' } : { held: null, release: text }
}
