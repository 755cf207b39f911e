import { type After, afterRealTime } from './after.ts'
import { BlockChunker, type BlockPiece, pieceText } from './block-chunker.ts'
import { type Block, type BlockCoalescer, createBlockCoalescer } from './block-coalescer.ts'
import { type BlockStreamSettings, type ResolvedBlockSettings, resolveBlockSettings } from './block-settings.ts'

export interface BlockStreamConfig extends BlockStreamSettings {
  /** A piece that consists only of this text is never sent. */
  readonly silentReply: string
  readonly after?: After
}

/** Sends the text of an agent in blocks while it arrives. Messages arrive one after the other, with rising indexes. */
export class BlockStream {
  readonly #settings: ResolvedBlockSettings
  readonly #silentReply: string
  readonly #coalescer: BlockCoalescer
  #open: OpenMessage | null = null
  #lastIndex = -1

  constructor(config: BlockStreamConfig, send: (block: Block) => void) {
    this.#settings = resolveBlockSettings(config)
    this.#silentReply = config.silentReply.toLowerCase()
    this.#coalescer = createBlockCoalescer(this.#settings.coalesce, config.after ?? afterRealTime, send)
  }

  /** If a new message begins before the previous one has ended, the unsent text of the previous one is discarded. */
  text(messageIndex: number, delta: string): void {
    const message = this.#openMessage(messageIndex)
    this.#add(message, message.chunker.push(delta))
  }

  /** Sends the rest of the message. */
  messageEnd(messageIndex: number): void {
    const message = this.#openMessage(messageIndex)
    this.#add(message, message.chunker.end())
    for (const piece of message.held) this.#coalescer.add(piece)
    this.#coalescer.flush()
    this.#open = null
  }

  #openMessage(index: number): OpenMessage {
    if (this.#open?.index === index) return this.#open
    if (index <= this.#lastIndex) throw new TypeError(`message ${index} has ended`)
    if (this.#open) this.#coalescer.drop()
    this.#lastIndex = index
    this.#open = { index, chunker: new BlockChunker(this.#settings.chunk, index), held: [] }
    return this.#open
  }

  #add(message: OpenMessage, pieces: readonly BlockPiece[]): void {
    const audible = pieces.filter((piece) => pieceText(piece).trim().toLowerCase() !== this.#silentReply)
    if (this.#settings.breakAt === 'message_end') message.held.push(...audible)
    else for (const piece of audible) this.#coalescer.add(piece)
  }
}

interface OpenMessage {
  readonly index: number
  readonly chunker: BlockChunker
  /** Pieces that must wait for the end of the message. */
  readonly held: BlockPiece[]
}
