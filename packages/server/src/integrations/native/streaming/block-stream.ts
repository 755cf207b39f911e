import { type After, afterRealTime } from './after.ts'
import { type BlockChunker, type BlockPiece, createBlockChunker, pieceText } from './block-chunker.ts'
import { type BlockCoalescer, createBlockCoalescer } from './block-coalescer.ts'
import { type BlockSender, createBlockSender, type SendBlock } from './block-sender.ts'
import { type BlockStreamSettings, type ResolvedBlockSettings, resolveBlockSettings } from './block-settings.ts'

export interface BlockStreamConfig extends BlockStreamSettings {
  readonly after?: After
  /** From 0 up to 1. */
  readonly random?: () => number
}

/** Passes an agent's words on in blocks while they come. Messages come one after the other, by rising index. */
export interface BlockStream {
  /** A message whose successor begins before it ended was broken off: what was not sent of it is forgotten. */
  text(messageIndex: number, delta: string): void
  textEnd(messageIndex: number): void
  /** Resolves when all of the message was sent or given up. */
  messageEnd(messageIndex: number): Promise<void>
  /** Ends the message that is open. */
  finish(): Promise<BlockStreamReport>
  /** Sends nothing more. */
  stop(): void
}

export interface BlockStreamReport {
  /**
   * The messages of which not everything was sent, whole and in order. They are the final reply; when there is none,
   * everything has been said.
   */
  readonly undelivered: readonly { readonly messageIndex: number; readonly text: string }[]
}

export function createBlockStream(config: BlockStreamConfig, send: SendBlock): BlockStream {
  return new MessageStream(config, send)
}

class MessageStream implements BlockStream {
  readonly #settings: ResolvedBlockSettings
  readonly #sender: BlockSender
  readonly #coalescer: BlockCoalescer
  readonly #messages = new Map<number, StreamedMessage>()
  #open: StreamedMessage | null = null

  constructor(config: BlockStreamConfig, send: SendBlock) {
    const { after = afterRealTime, random = Math.random } = config
    this.#settings = resolveBlockSettings(config)
    const { coalesce, pause, sendTimeoutMs } = this.#settings
    const pauseMs = () => pause.minMs + random() * (pause.maxMs - pause.minMs)
    this.#sender = createBlockSender({ timeoutMs: sendTimeoutMs, pauseMs }, after, send, (block) => {
      const message = this.#messages.get(block.messageIndex)
      if (message) message.missing -= block.pieces
    })
    this.#coalescer = createBlockCoalescer(coalesce, after, (block) => this.#sender.add(block))
  }

  text(messageIndex: number, delta: string): void {
    const message = this.#begin(messageIndex)
    message.text += delta
    this.#take(message, message.chunker.push(delta))
  }

  textEnd(messageIndex: number): void {
    const message = this.#begin(messageIndex)
    this.#take(message, message.chunker.end())
  }

  async messageEnd(messageIndex: number): Promise<void> {
    const message = this.#begin(messageIndex)
    this.#end(message)
    await this.#sender.settled()
    // A long run keeps the text only of what it may have to say again.
    if (message.missing === 0) message.text = ''
  }

  async finish(): Promise<BlockStreamReport> {
    if (this.#open) this.#end(this.#open)
    await this.#sender.settled()
    const undelivered = [...this.#messages.values()].filter((message) => message.missing > 0)
    return { undelivered: undelivered.map(({ index, text }) => ({ messageIndex: index, text })) }
  }

  stop(): void {
    this.#coalescer.drop()
    this.#sender.stop()
  }

  #begin(index: number): StreamedMessage {
    if (this.#open?.index === index) return this.#open
    if (this.#messages.has(index)) throw new TypeError(`message ${index} has ended`)
    if (this.#open) {
      this.#coalescer.drop()
      this.#messages.delete(this.#open.index)
    }
    const chunker = createBlockChunker(this.#settings.chunk, index)
    this.#open = { index, text: '', chunker, held: [], missing: 0 }
    this.#messages.set(index, this.#open)
    return this.#open
  }

  #take(message: StreamedMessage, pieces: readonly BlockPiece[]): void {
    const { enabled, breakAt, silentReply } = this.#settings
    const spoken = pieces.filter((piece) => !isSilent(pieceText(piece), silentReply))
    message.missing += spoken.length
    if (!enabled) return
    if (breakAt === 'message_end') message.held.push(...spoken)
    else for (const piece of spoken) this.#coalescer.add(piece)
  }

  #end(message: StreamedMessage): void {
    this.#take(message, message.chunker.end())
    for (const piece of message.held.splice(0)) this.#coalescer.add(piece)
    this.#coalescer.flush()
    this.#open = null
  }
}

interface StreamedMessage {
  readonly index: number
  text: string
  readonly chunker: BlockChunker
  /** Made and not to be sent before the message ends. */
  readonly held: BlockPiece[]
  /** How many of its pieces have not been sent. */
  missing: number
}

function isSilent(text: string, silentReply: string | null): boolean {
  return silentReply !== null && text.trim().toLowerCase() === silentReply.toLowerCase()
}
