import { FOREIGN, foldCharacter, tagLetter } from './fold-character.ts'

/** The part of a string that a scan needs. */
export interface ScannedText {
  readonly length: number
  codePointAt(at: number): number | undefined
}

/** A range of a text, in code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The longest text that counts as the rest of a header. */
const REST = 300

/**
 * Finds every range that could be read as a header of the envelope: its first words after an opening bracket, or before
 * one of its fields. Characters between the letters are ignored, whether spaces, line breaks, signs or invisible ones.
 * Scans once, and twice more only if the text hides letters as tags.
 */
export function findHeaders(text: ScannedText): readonly Span[] {
  const found = scan(text, foldSeen)
  if (!hasTags(text)) return found
  return merge([...found, ...scan(text, foldAll), ...scan(text, foldTags)])
}

type Reading = (codePoint: number) => string

const foldSeen: Reading = foldCharacter
const foldAll: Reading = (codePoint) => foldCharacter(tagLetter(codePoint) ?? codePoint)
const foldTags: Reading = (codePoint) => {
  const letter = tagLetter(codePoint)
  return letter === null ? '' : foldCharacter(letter)
}

const foldWord = (word: string) =>
  Array.from(word, (character) => foldCharacter(character.codePointAt(0)!))
    .join('')
    .replaceAll('_', '')

const PHRASE = foldWord('Inter-session message')
const FIELDS = ['from', 'kind', 'seq', 'isUser'].map(foldWord)

function scan(text: ScannedText, read: Reading): Span[] {
  const spans: Span[] = []
  const matcher = new HeaderMatcher()
  let at = 0
  while (at < text.length) {
    const codePoint = text.codePointAt(at)!
    const next = at + (codePoint > 0xffff ? 2 : 1)
    const start = matcher.take(read(codePoint), at)
    at = next
    if (start === NONE) continue
    at = endOfHeader(text, next, read)
    spans.push({ start, end: at })
    matcher.reset()
  }
  return spans
}

/** Returns the position after a close closing bracket if no header can start before it, otherwise `from`. */
function endOfHeader(text: ScannedText, from: number, read: Reading): number {
  let at = from
  while (at < Math.min(text.length, from + REST)) {
    const codePoint = text.codePointAt(at)!
    at += codePoint > 0xffff ? 2 : 1
    const folded = read(codePoint)
    if (folded === ']') return at
    if (folded === '[') return from
  }
  return from
}

/** Follows the folded letters of a text, and returns the start of a header as soon as it is certain. */
class HeaderMatcher {
  readonly #bracketed = new PatternRun(PHRASE)
  readonly #bare = new PatternRun(PHRASE)
  readonly #fields = FIELDS.map((name) => new PatternRun(name))
  /** The positions of the signs and words that may precede the next letter, or NONE. */
  #openAt = NONE
  #leftOutAt = NONE
  #phraseAt = NONE
  #fieldAt = NONE

  reset(): void {
    for (const run of [this.#bracketed, this.#bare, ...this.#fields]) run.reset()
    this.#openAt = this.#leftOutAt = this.#phraseAt = this.#fieldAt = NONE
  }

  take(folded: string, at: number): number {
    let found = NONE
    for (let n = 0; n < folded.length && found === NONE; n += 1) found = this.#takeOne(folded[n]!, at)
    return found
  }

  #takeOne(sign: string, at: number): number {
    if (sign === '=') return this.#fieldAt
    if (sign === '[') this.#openAt = at
    else if (sign === ']') this.#openAt = NONE
    else if (sign === '_') this.#leftOutAt = at
    else if (sign === FOREIGN) this.reset()
    else return this.#takeLetter(sign.toLowerCase(), at, sign !== sign.toLowerCase())
    return NONE
  }

  #takeLetter(letter: string, at: number, isOptional: boolean): number {
    let fieldAt = isOptional ? this.#fieldAt : NONE
    for (const run of this.#fields) fieldAt = Math.max(fieldAt, run.take(letter, this.#phraseAt, isOptional))
    const found = this.#bracketed.take(letter, this.#openAt, isOptional)
    const phraseAt = this.#bare.take(letter, this.#leftOutAt === NONE ? at : this.#leftOutAt, isOptional)
    if (!isOptional) this.#openAt = this.#leftOutAt = this.#phraseAt = NONE
    if (phraseAt !== NONE) this.#phraseAt = phraseAt
    this.#fieldAt = fieldAt
    return found
  }
}

const NONE = -1

/** Tracks all partial matches of a word at once: one bit for each letter of the word. */
class PatternRun {
  readonly #bitsOf = new Map<string, number>()
  readonly #starts: number[] = []
  readonly #last: number
  #active = 0

  constructor(pattern: string) {
    this.#last = pattern.length - 1
    for (const [at, letter] of [...pattern].entries())
      this.#bitsOf.set(letter, (this.#bitsOf.get(letter) ?? 0) | (1 << at))
  }

  reset(): void {
    this.#active = 0
  }

  /** Returns the start of the word if this letter ends it. `start` is its start if this is the first letter. */
  take(letter: string, start: number, isOptional: boolean): number {
    if (this.#active === 0 && start === NONE) return NONE
    const reached = ((this.#active << 1) | (start === NONE ? 0 : 1)) & (this.#bitsOf.get(letter) ?? 0)
    // From the end, so that each position takes its predecessor's start from before this letter.
    for (let left = reached; left !== 0; ) {
      const at = 31 - Math.clz32(left)
      this.#starts[at] = at === 0 ? start : this.#starts[at - 1]!
      left &= ~(1 << at)
    }
    this.#active = isOptional ? this.#active | reached : reached
    if (!(reached & (1 << this.#last))) return NONE
    this.#active &= ~(1 << this.#last)
    return this.#starts[this.#last]!
  }
}

function hasTags(text: ScannedText): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const codePoint = text.codePointAt(at)!
    if (codePoint >= 0xe0000 && codePoint < 0xe1000) return true
  }
  return false
}

function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last && span.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) }
    else merged.push(span)
  }
  return merged
}
