export const QUOTED_CHARACTERS = 60

/** A title within a sentence: one line, cut short, and unable to end its own quotation. */
export function quoteTitle(title: string): string {
  return `“${plainWords(title)}”`
}

/** Somebody's name or title as it may stand in a sentence. */
export function plainWords(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[“”]/g, "'")
    .trim()
  if (line.length <= QUOTED_CHARACTERS) return line
  // Half of a surrogate pair at the cut would be an unreadable character.
  return `${line.slice(0, QUOTED_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
