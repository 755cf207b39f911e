import { type CodeFence, closing, fenceOpenedBy, isClosedBy, reopening } from './code-fence.ts'

export interface CutRules {
  readonly minChars: number
  readonly maxChars: number
  readonly breakPreference: BreakPreference
  /** Cut at the first break of this kind instead of waiting for a full block. */
  readonly firstBreak: BreakPreference | null
  /** Every paragraph becomes a block, however short. */
  readonly everyParagraph: boolean
}

export type BreakPreference = 'paragraph' | 'newline' | 'sentence'

/** The state at the beginning of a block. */
export interface BlockStart {
  /** The code block that continues here. */
  readonly fence: CodeFence | null
  /** The block begins inside a line, so the rest of that line cannot be a fence. */
  readonly isMidLine: boolean
}

export interface Cut {
  /** The length of the block. */
  readonly at: number
  /** The code block that is interrupted here. */
  readonly fence: CodeFence | null
}

const BREAKS = {
  paragraph: ['paragraph', 'newline', 'sentence', 'space'],
  newline: ['newline', 'space'],
  sentence: ['sentence', 'space'],
} as const

/** How much text fits into a block that begins in this state. */
export function roomFor(start: BlockStart, rules: CutRules): number {
  return rules.maxChars - (start.fence ? reopening(start.fence).length : 0)
}

/**
 * Finds the end of the next block; null = wait for more text. Looks at most one character beyond a full block, so the
 * result does not depend on how much text has arrived.
 */
export function findCut(text: string, start: BlockStart, rules: CutRules): Cut | null {
  const room = roomFor(start, rules)
  const isFull = text.length > room
  const walk = new BreakWalk(text.slice(0, room + 1), start, rules, room, isFull)
  const first = walk.firstPreferred()
  if (first > 0) return { at: first, fence: null }
  return isFull ? walk.best() : null
}

class BreakWalk {
  readonly #text: string
  readonly #rules: CutRules
  readonly #room: number
  readonly #isFull: boolean
  readonly #least: number
  #isMidLine: boolean
  /** The last break of each kind so far; 0 = none. */
  readonly #last = { paragraph: 0, newline: 0, sentence: 0, space: 0 }
  #fence: CodeFence | null
  /** The start of the code in the open fence. */
  #codeFrom = 0
  #codeBreak = 0
  /** The start of the last line, if that line opens or may open a fence. */
  #openerFrom = 0
  #endOfText = 0

  constructor(text: string, start: BlockStart, rules: CutRules, room: number, isFull: boolean) {
    this.#text = text
    this.#rules = rules
    this.#room = room
    this.#isFull = isFull
    this.#fence = start.fence
    this.#isMidLine = start.isMidLine
    this.#least = Math.max(1, rules.minChars - (rules.maxChars - room))
  }

  /** Scans the lines and returns the first break at which to cut without waiting; 0 = none. */
  firstPreferred(): number {
    for (let from = 0; from <= this.#text.length; ) {
      const newline = this.#text.indexOf('\n', from)
      const isWhole = newline !== -1
      const to = isWhole ? newline : this.#text.length
      const at = this.#fence ? this.#passCode(from, to, isWhole) : this.#passText(from, to, isWhole)
      if (at > 0) return at
      this.#isMidLine = false
      from = to + 1
    }
    return 0
  }

  /** The best cut of a full block. Call it after `firstPreferred`. */
  best(): Cut {
    for (const kind of BREAKS[this.#rules.breakPreference])
      if (this.#last[kind] > 0) return { at: this.#last[kind], fence: null }
    if (this.#fence && this.#codeBreak > 0) return { at: this.#codeBreak, fence: this.#fence }
    const hard = this.#room - (this.#fence ? closing(this.#fence).length : 0)
    const isOpener = this.#fence ? hard <= this.#codeFrom : this.#openerFrom > 0
    if (isOpener && this.#openerFrom > 1) return { at: this.#openerFrom - 1, fence: null }
    return { at: this.#wholeCharacters(hard), fence: this.#fence }
  }

  #passCode(from: number, to: number, isWhole: boolean): number {
    if (!isWhole) return 0
    const fence = this.#fence!
    if (!this.#isMidLine && isClosedBy(fence, this.#text.slice(from, to))) {
      this.#fence = null
      this.#endOfText = to
      return this.#offer('newline', to)
    }
    if (to > 0 && to + closing(fence).length <= this.#room) this.#codeBreak = to
    return 0
  }

  #passText(from: number, to: number, isWhole: boolean): number {
    const line = this.#text.slice(from, to)
    const opened = this.#isMidLine ? null : fenceOpenedBy(line, this.#rules.maxChars)
    this.#openerFrom = 0
    if (opened) {
      this.#openerFrom = from
      if (!isWhole) return 0
      this.#fence = opened
      this.#codeFrom = to + 1
      this.#codeBreak = 0
      return 0
    }
    if (isWhole && line.trim() === '') return this.#offer('paragraph', this.#endOfText)
    const within = this.#passWords(from, to)
    if (within > 0 || !isWhole) return within
    this.#endOfText = to
    return this.#offer('newline', to)
  }

  #passWords(from: number, to: number): number {
    const { firstBreak } = this.#rules
    if (!this.#isFull && firstBreak !== 'sentence') return 0
    // A cut inside the indentation could turn the rest of the line into a fence.
    const indented = this.#isMidLine ? from : from + indentation(this.#text, from, to)
    for (let at = Math.max(indented + 1, this.#least); at <= to && at < this.#text.length; at += 1) {
      if (!isSpace(this.#text, at)) continue
      this.#offer('space', at)
      if (!'.!?'.includes(this.#text[at - 1]!)) continue
      const first = this.#offer('sentence', at)
      if (first > 0) return first
    }
    return 0
  }

  #offer(kind: keyof typeof BREAKS | 'space', at: number): number {
    const { everyParagraph, firstBreak } = this.#rules
    const isEarly = everyParagraph && kind === 'paragraph'
    if (at === 0 || (at < this.#least && !isEarly)) return 0
    if (isEarly || kind === firstBreak) return at
    this.#last[kind] = at
    return 0
  }

  #wholeCharacters(at: number): number {
    const isWithinPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(this.#text.slice(at - 1, at + 1))
    return isWithinPair && at > 1 ? at - 1 : at
  }
}

function indentation(text: string, from: number, to: number): number {
  let at = from
  while (at < to && isSpace(text, at)) at += 1
  return at - from
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || (code >= 9 && code <= 13)
}
