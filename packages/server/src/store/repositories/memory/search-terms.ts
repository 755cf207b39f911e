const LONGEST_TERM = 64
const MOST_TERMS_ASKED = 16
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu

/** The words of a text to store for the search, each once. */
export function storedTerms(text: string): string {
  return [...new Set(words(text).flatMap((word) => pieces(word, true)))].join(' ')
}

/** The words of a query. A match has, for each of them, a word that begins with it. Empty when the query has no words. */
export function askedTerms(query: string): string[] {
  return [...new Set(words(query).flatMap((word) => pieces(word, false)))].slice(0, MOST_TERMS_ASKED)
}

/** Removes accents and case, so that both engines compare alike. */
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

/** Pairs of characters. A query for one character matches the start of a pair, or the last character, which is also stored alone. */
function pairs(characters: readonly string[], toStore: boolean): string[] {
  const found = characters.slice(0, -1).map((character, at) => character + characters[at + 1]!)
  return toStore || found.length === 0 ? [...found, characters.at(-1)!] : found
}

function cut(word: string): string {
  return [...word].slice(0, LONGEST_TERM).join('')
}
