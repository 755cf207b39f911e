export interface CutText {
  readonly text: string
  /** The number of characters kept at the beginning and at the end. */
  readonly head: number
  readonly tail: number
}

const HEAD_SHARE = 0.75
const TAIL_SHARE = 0.25
/** The long marker is used only if it leaves at least this much content. */
const LEAST_CONTENT = 16
const ROUNDS = 3

/**
 * Shortens a text to at most `max` characters: its beginning and its end, with a marker between them that states how much
 * was kept of `whole` characters. Do not reword the markers: models recognise them and people search for them.
 */
export function cutText(text: string, name: string, max: number, whole = text.length): CutText {
  const long: Marker = (head, tail) =>
    `\n\n[...truncated, read ${name} for full content...]\n…(truncated ${name}: kept ${head}+${tail} chars of ${whole})…\n\n`
  const short: Marker = (head, tail) => `[…truncated ${head}+${tail}/${whole}]`
  const roomy = settle(long, max)
  const [marker, kept] = roomy.content >= LEAST_CONTENT ? [long, roomy] : [short, settle(short, max)]
  const head = wholeCharacters(text, kept.head)
  const tail = wholeCharactersFromEnd(text, kept.tail)
  const joined = text.slice(0, head) + marker(head, tail) + text.slice(text.length - tail)
  return { text: joined.slice(0, Math.max(0, max)), head, tail }
}

type Marker = (head: number, tail: number) => string

/**
 * The marker contains numbers that depend on its own length. The first round assumes the longest numbers, so every odd
 * round reserves at least the space that its marker needs. An even last round might not fit.
 */
function settle(marker: Marker, max: number): { head: number; tail: number; content: number } {
  let kept = share(max)
  for (let round = 0; round < ROUNDS; round++) kept = share(max - marker(kept.head, kept.tail).length)
  return kept
}

function share(budget: number): { head: number; tail: number; content: number } {
  const content = Math.max(0, budget)
  return { head: Math.floor(content * HEAD_SHARE), tail: Math.floor(content * TAIL_SHARE), content }
}

/** Half of a surrogate pair would reach the model as an invalid character. */
function wholeCharacters(text: string, length: number): number {
  return isHighSurrogate(text.charCodeAt(length - 1)) && length < text.length ? length - 1 : length
}

function wholeCharactersFromEnd(text: string, length: number): number {
  const start = text.length - length
  return start > 0 && length > 0 && isHighSurrogate(text.charCodeAt(start - 1)) ? length - 1 : length
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
