const LONGEST_TERM = 64
const MOST_TERMS_ASKED = 16
/** Scripts that write words without spaces between them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu

/** The words to keep of a text, each once, for `matchTerms` of a query to find. */
export function storedTerms(text: string): string {
  return [...new Set(words(text).flatMap((word) => pieces(word, true)))].join(' ')
}

/** The words a query asks for; what is found has for each a word that begins with it. Empty when it asks for none. */
export function askedTerms(query: string): string[] {
  return [...new Set(words(query).flatMap((word) => pieces(word, false)))].slice(0, MOST_TERMS_ASKED)
}

/** Without accents and case, so that both engines compare the same. */
function words(text: string): string[] {
  const folded = text.toWellFormed().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}

function pieces(word: string, toStore: boolean): string[] {
  const found: string[] = []
  let from = 0
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > from) found.push(cut(word.slice(from, index)))
    found.push(...pairs([...run], toStore))
    from = index + run.length
  }
  if (from < word.length) found.push(cut(word.slice(from)))
  return found
}

/** Two characters at a time. A query for one is found at the beginning of a pair, and at the end of a run by itself. */
function pairs(characters: readonly string[], toStore: boolean): string[] {
  const found = characters.slice(0, -1).map((character, at) => character + characters[at + 1]!)
  return toStore || found.length === 0 ? [...found, characters.at(-1)!] : found
}

function cut(word: string): string {
  return [...word].slice(0, LONGEST_TERM).join('')
}
