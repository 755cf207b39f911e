import { type CodeFence, closing, reopening } from './code-fence.ts'
import { type BlockStart, type BreakPreference, type CutRules, findCut, roomFor } from './find-cut.ts'

export interface ChunkOptions {
  readonly minChars: number
  readonly maxChars: number
  readonly breakPreference: BreakPreference
  /** `newline`: every paragraph is a piece of its own. */
  readonly chunkMode: 'length' | 'newline'
  /** Cut as soon as there is a good place; otherwise only when a piece is full. */
  readonly isEager: boolean
}

/** A part of a message as a reader gets it. (messageIndex, offset) names it: two pieces may well have equal texts. */
export interface BlockPiece {
  readonly messageIndex: number
  /** Where `source` begins in the message's text. */
  readonly offset: number
  readonly source: string
  /** The fence's line, when the piece goes on with code. */
  readonly opening: string
  /** The fence's end, when the piece breaks off within code. */
  readonly closing: string
  /** The blank text left out between the piece before and this one; null for the first of a text. */
  readonly gap: string | null
}

export interface BlockChunker {
  push(delta: string): readonly BlockPiece[]
  /** The text ends here: what is left comes out, whole. More text may follow; it begins anew. */
  end(): readonly BlockPiece[]
}

/**
 * Cuts one message into pieces of at most `maxChars`. The pieces depend on the text alone, not on the deltas in which it
 * came. Put together by their offsets they are the text, but for blank text between them.
 */
export function createBlockChunker(options: ChunkOptions, messageIndex: number): BlockChunker {
  return new MessageChunker(rulesOf(options), messageIndex)
}

const TEXT_START: BlockStart = { fence: null, isMidLine: false }

class MessageChunker implements BlockChunker {
  readonly #rules: CutRules
  readonly #messageIndex: number
  /** What is in no piece yet, and where it begins in the message. */
  #pending = ''
  #offset = 0
  #start = TEXT_START
  /** The blank text left out since the last piece. */
  #gap = ''
  #isFirst = true

  constructor(rules: CutRules, messageIndex: number) {
    this.#rules = rules
    this.#messageIndex = messageIndex
  }

  push(delta: string): readonly BlockPiece[] {
    this.#pending += delta
    // Only these bring a new place to cut; looking every time would read a block once for each of its letters.
    const isNewBreak = this.#rules.firstBreak === 'sentence' ? /\s/.test(delta) : delta.includes('\n')
    return isNewBreak || this.#pending.length > roomFor(this.#start, this.#rules) ? this.#cutWhilePossible() : []
  }

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
      this.#leaveOutBlankLines()
      const cut = findCut(this.#pending, this.#start, this.#rules)
      if (!cut) return pieces
      const piece = this.#take(cut.at, cut.fence)
      if (piece) pieces.push(piece)
      const isLineEnd = this.#pending.startsWith('\n')
      // Within a line of code every blank is the author's.
      if (isLineEnd || (!cut.fence && /^\s/.test(this.#pending))) this.#leaveOut(1)
      this.#start = { fence: cut.fence, isMidLine: !isLineEnd }
    }
  }

  #take(length: number, broken: CodeFence | null): BlockPiece | null {
    const source = this.#pending.slice(0, length)
    if (source.trim() === '') {
      this.#leaveOut(length)
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

  #leaveOutBlankLines(): void {
    if (this.#start.fence) return
    const blank = /^(?:[ \t\r]*\n)+/.exec(this.#pending)?.[0].length ?? 0
    if (blank === 0) return
    this.#leaveOut(blank)
    this.#start = TEXT_START
  }

  #leaveOut(length: number): void {
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
