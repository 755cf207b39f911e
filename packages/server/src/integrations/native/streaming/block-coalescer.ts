import type { After } from './after.ts'
import type { BlockPiece } from './block-chunker.ts'

/** What is sent at once: one piece or several of one message, and how many characters of it that covers. */
export interface Block {
  /** `<messageIndex>:<offset>`: the same for the same block, whatever its text. */
  readonly key: string
  readonly messageIndex: number
  readonly offset: number
  readonly text: string
  readonly pieces: number
}

export interface CoalesceOptions {
  /** Below this a pause sends nothing. */
  readonly minChars: number
  readonly maxChars: number
  readonly idleMs: number
  /** Between pieces of separate texts; pieces of one text keep what stood between them. */
  readonly joiner: string
  /** Sends each piece by itself. */
  readonly isPassThrough: boolean
}

export interface BlockCoalescer {
  add(piece: BlockPiece): void
  /** Sends what is held, however short. */
  flush(): void
  /** Forgets what is held and gives the number of its pieces. */
  drop(): number
}

/** Joins pieces that come in quick succession, so that a reader gets few blocks instead of many lines. */
export function createBlockCoalescer(
  options: CoalesceOptions,
  after: After,
  deliver: (block: Block) => void,
): BlockCoalescer {
  let held: Held | null = null
  let callOff = () => {}

  const letGo = (): Held | null => {
    callOff()
    callOff = () => {}
    const given = held
    held = null
    return given
  }
  const flush = () => {
    const given = letGo()
    if (given) deliver(blockOf(given))
  }
  const waitForMore = () => {
    callOff()
    callOff = after(options.idleMs, () => {
      if (held && lengthOf(held) >= options.minChars) flush()
    })
  }

  return {
    add(piece) {
      if (held && held.messageIndex !== piece.messageIndex) flush()
      const joined = held && joinedWith(held, piece, options.joiner)
      if (joined && lengthOf(joined) <= options.maxChars) held = joined
      else {
        flush()
        held = { ...piece, body: piece.opening + piece.source, pieces: 1 }
      }
      if (options.isPassThrough || lengthOf(held) >= options.maxChars) flush()
      else waitForMore()
    },
    flush,
    drop: () => letGo()?.pieces ?? 0,
  }
}

/** `body` is the text without its closing, to which more of the same code can be added. */
interface Held {
  readonly messageIndex: number
  readonly offset: number
  readonly body: string
  readonly closing: string
  readonly pieces: number
}

function joinedWith(held: Held, piece: BlockPiece, joiner: string): Held {
  const body =
    piece.gap === null
      ? held.body + held.closing + joiner + piece.opening + piece.source
      : held.body + piece.gap + piece.source
  return { ...held, body, closing: piece.closing, pieces: held.pieces + 1 }
}

function lengthOf(held: Held): number {
  return held.body.length + held.closing.length
}

function blockOf({ messageIndex, offset, body, closing, pieces }: Held): Block {
  return { key: `${messageIndex}:${offset}`, messageIndex, offset, text: body + closing, pieces }
}
