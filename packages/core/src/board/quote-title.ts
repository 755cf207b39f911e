export const QUOTED_CHARACTERS = 60

/** Quotes a title in a sentence: one line, shortened, and unable to end its own quotation. */
export function quoteTitle(title: string): string {
  return `“${plainWords(title)}”`
}

/** Makes a name or title safe to use in a sentence. */
export function plainWords(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[“”]/g, "'")
    .trim()
  if (line.length <= QUOTED_CHARACTERS) return line
  // Do not cut a surrogate pair in half.
  return `${line.slice(0, QUOTED_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
