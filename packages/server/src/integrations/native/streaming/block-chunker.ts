import { type CodeFence, closing, reopening } from './code-fence.ts'
import { type BlockStart, type BreakPreference, type CutRules, findCut, roomFor } from './find-cut.ts'

export interface ChunkOptions {
  readonly minChars: number
  readonly maxChars: number
  readonly breakPreference: BreakPreference
  /** `newline` makes every paragraph a piece of its own. */
  readonly chunkMode: 'length' | 'newline'
  /** Cut at the first good place instead of waiting until a piece is full. */
  readonly isEager: boolean
}

/** A part of a message. (messageIndex, offset) identifies it, because two pieces can have equal texts. */
export interface BlockPiece {
  readonly messageIndex: number
  /** The position of `source` in the text of the message. */
  readonly offset: number
  readonly source: string
  /** The opening line of the fence, when the piece continues a code block. */
  readonly opening: string
  /** The closing line of the fence, when the piece ends inside a code block. */
  readonly closing: string
  /** The white space dropped between the previous piece and this one; null for the first piece of a text. */
  readonly gap: string | null
}

const TEXT_START: BlockStart = { fence: null, isMidLine: false }

/**
 * Cuts one message into pieces of at most `maxChars`. The pieces depend only on the text, not on how it was split into
 * deltas. Joined by their offsets they give the text, except for white space between them.
 */
export class BlockChunker {
  readonly #rules: CutRules
  readonly #messageIndex: number
  /** The text that is not in a piece yet. `#offset` is its position in the message. */
  #pending = ''
  #offset = 0
  #start = TEXT_START
  /** The white space dropped since the last piece. */
  #gap = ''
  #isFirst = true

  constructor(options: ChunkOptions, messageIndex: number) {
    this.#rules = rulesOf(options)
    this.#messageIndex = messageIndex
  }

  push(delta: string): readonly BlockPiece[] {
    this.#pending += delta
    // Only these characters add a place to cut. Searching on every delta would read a block once per character.
    const isNewBreak = this.#rules.firstBreak === 'sentence' ? /\s/.test(delta) : delta.includes('\n')
    return isNewBreak || this.#pending.length > roomFor(this.#start, this.#rules) ? this.#cutWhilePossible() : []
  }

  /** Ends the text and returns the rest. Later text starts a new text. */
  end(): readonly BlockPiece[] {
    const pieces = this.#cutWhilePossible()
    const last = this.#take(this.#pending.length, null)
    this.#start = TEXT_START
    this.#gap = ''
    this.#isFirst = true
    return last ? [...pieces, last] : pieces
  }

  #cutWhilePossible(): BlockPiece[] {
    const pieces: BlockPiece[] = []
    for (;;) {
      this.#dropBlankLines()
      const cut = findCut(this.#pending, this.#start, this.#rules)
      if (!cut) return pieces
      const piece = this.#take(cut.at, cut.fence)
      if (piece) pieces.push(piece)
      const isLineEnd = this.#pending.startsWith('\n')
      // White space inside a line of code belongs to the code.
      if (isLineEnd || (!cut.fence && /^\s/.test(this.#pending))) this.#drop(1)
      this.#start = { fence: cut.fence, isMidLine: !isLineEnd }
    }
  }

  #take(length: number, broken: CodeFence | null): BlockPiece | null {
    const source = this.#pending.slice(0, length)
    if (source.trim() === '') {
      this.#drop(length)
      return null
    }
    const { fence } = this.#start
    const piece: BlockPiece = {
      messageIndex: this.#messageIndex,
      offset: this.#offset,
      source,
      opening: fence ? reopening(fence) : '',
      closing: broken ? closing(broken) : '',
      gap: this.#isFirst ? null : this.#gap,
    }
    this.#pending = this.#pending.slice(length)
    this.#offset += length
    this.#gap = ''
    this.#isFirst = false
    return piece
  }

  #dropBlankLines(): void {
    if (this.#start.fence) return
    const blank = /^(?:[ \t\r]*\n)+/.exec(this.#pending)?.[0].length ?? 0
    if (blank === 0) return
    this.#drop(blank)
    this.#start = TEXT_START
  }

  #drop(length: number): void {
    this.#gap += this.#pending.slice(0, length)
    this.#pending = this.#pending.slice(length)
    this.#offset += length
  }
}

export function pieceText(piece: BlockPiece): string {
  return piece.opening + piece.source + piece.closing
}

function rulesOf(options: ChunkOptions): CutRules {
  const everyParagraph = options.chunkMode === 'newline'
  return {
    minChars: options.minChars,
    maxChars: options.maxChars,
    breakPreference: options.breakPreference,
    firstBreak: everyParagraph ? 'paragraph' : options.isEager ? options.breakPreference : null,
    everyParagraph,
  }
}
