/** Text without case and accents, so that "zoe" finds "Zoë". Cached by text, because a fleet is searched on every key. */
export function fold(text: string): string {
  let folded = kept.get(text)
  if (folded === undefined) {
    folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    if (kept.size > 50_000) kept.clear()
    kept.set(text, folded)
  }
  return folded
}

const kept = new Map<string, string>()

/**
 * How well `query` matches `text`; 0 = not at all. Every word of the query must occur. The start of the text scores
 * most, then the start of a word, then the middle of one.
 */
export function matchScore(query: string, text: string): number {
  const folded = fold(text)
  let score = 1
  for (const word of fold(query).split(/\s+/)) {
    if (word === '') continue
    const at = folded.indexOf(word)
    if (at < 0) return 0
    if (at === 0) score += 4
    else if (folded.includes(` ${word}`)) score += 2
    else score += 1
  }
  return score
}
