import type { After } from './after.ts'
import type { BlockPiece } from './block-chunker.ts'

/** One or more pieces of one message, sent together. */
export interface Block {
  /** `<messageIndex>:<offset>` identifies a block whatever its text. */
  readonly key: string
  readonly messageIndex: number
  readonly offset: number
  readonly text: string
}

export interface CoalesceOptions {
  /** A shorter text is not sent after a pause. */
  readonly minChars: number
  readonly maxChars: number
  readonly idleMs: number
  /** The separator between pieces of different texts. Pieces of one text keep the white space between them. */
  readonly joiner: string
  /** Sends each piece on its own. */
  readonly isPassThrough: boolean
}

export type BlockCoalescer = ReturnType<typeof createBlockCoalescer>

/** Joins pieces that arrive in quick succession, so that the reader gets a few blocks instead of many lines. */
export function createBlockCoalescer(options: CoalesceOptions, after: After, deliver: (block: Block) => void) {
  let held: Held | null = null
  let cancel = () => {}

  const takeHeld = (): Held | null => {
    cancel()
    cancel = () => {}
    const taken = held
    held = null
    return taken
  }
  const flush = () => {
    const taken = takeHeld()
    if (taken) deliver(blockOf(taken))
  }
  const waitForMore = () => {
    cancel()
    cancel = after(options.idleMs, () => {
      if (held && lengthOf(held) >= options.minChars) flush()
    })
  }

  return {
    add(piece: BlockPiece): void {
      if (held && held.messageIndex !== piece.messageIndex) flush()
      const joined = held && joinedWith(held, piece, options.joiner)
      if (joined && lengthOf(joined) <= options.maxChars) held = joined
      else {
        flush()
        held = { ...piece, body: piece.opening + piece.source }
      }
      if (options.isPassThrough || lengthOf(held) >= options.maxChars) flush()
      else waitForMore()
    },
    /** Sends the held text, however short. */
    flush,
    drop: () => void takeHeld(),
  }
}

/** `body` is the text without the closing fence, so that more of the same code can be added. */
interface Held {
  readonly messageIndex: number
  readonly offset: number
  readonly body: string
  readonly closing: string
}

function joinedWith(held: Held, piece: BlockPiece, joiner: string): Held {
  const body =
    piece.gap === null
      ? held.body + held.closing + joiner + piece.opening + piece.source
      : held.body + piece.gap + piece.source
  return { ...held, body, closing: piece.closing }
}

function lengthOf(held: Held): number {
  return held.body.length + held.closing.length
}

function blockOf({ messageIndex, offset, body, closing }: Held): Block {
  return { key: `${messageIndex}:${offset}`, messageIndex, offset, text: body + closing }
}
