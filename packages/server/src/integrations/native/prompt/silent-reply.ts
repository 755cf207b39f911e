/** An answer that consists of this token alone is not delivered. */
export const SILENT_TOKEN = 'NO_REPLY'

export function isSilentReply(text: string): boolean {
  return text.trim().toUpperCase() === SILENT_TOKEN
}

/** Whether a text that is still growing could become a silent reply. */
export function mayBecomeSilent(text: string): boolean {
  const trimmed = text.trim().toUpperCase()
  // The token contains no white space, so white space after only a part of it rules out a silent reply.
  if (trimmed.length < SILENT_TOKEN.length && trimmed !== '' && /\s$/.test(text)) return false
  return SILENT_TOKEN.startsWith(trimmed)
}

/** The text held back so far; null = the answer is being passed on. */
export type HeldBack = string | null

export const NOTHING_HELD: HeldBack = ''

/**
 * Adds a chunk of one answer and returns the text to pass on now. Holds the text back while the whole answer could be a
 * silent reply. `ended` marks the last chunk.
 */
export function passOn(held: HeldBack, chunk: string, ended: boolean): { held: HeldBack; release: string } {
  if (held === null) return { held, release: chunk }
  const text = held + chunk
  const hold = ended ? isSilentReply(text) : mayBecomeSilent(text)
  return hold ? { held: text, release: '' } : { held: null, release: text }
}
