export interface Piece {
  readonly message: number
  readonly offset: number
  readonly text: string
}

/** What the assistant has said in a run, message by message, as pieces that join without a gap. */
export class SpokenMessages {
  #count = 0
  #id: string | null = null
  #text = ''
  /** The newest message is of the model call under way. */
  #isOfThisCall = false

  /** The number the next message would have. */
  get next(): number {
    return this.#count
  }

  /** The newest message; null when nothing was said. */
  get last(): string | null {
    return this.#count === 0 ? null : this.#text
  }

  /** Another model call: what it says is another message. */
  nextCall(): void {
    this.#isOfThisCall = false
  }

  /** `text` is all of the message so far; null when nothing of it is new. */
  add(id: string, text: string): Piece | null {
    const isAnother = this.#id !== id
    if (text === '' && isAnother) return null
    if (isAnother) {
      this.#count += 1
      this.#id = id
      this.#text = ''
    }
    const offset = this.#text.length
    // A text that was changed behind our back cannot be taken back: what follows the same length is told.
    const piece = text.slice(offset)
    if (piece === '') return null
    this.#text += piece
    this.#isOfThisCall = true
    return { message: this.#count - 1, offset, text: piece }
  }

  /** A message that comes whole, and perhaps a second time: null when it was told already. */
  addWhole(id: string, text: string): Piece | null {
    const isSame = this.#isOfThisCall && (text.startsWith(this.#text) || this.#text.trim() === text.trim())
    return this.add(isSame ? this.#id! : id, text)
  }

  /** All that was said until it was cut off: null unless it goes on where the newest message stands. */
  addCutOff(text: string): Piece | null {
    return this.#id !== null && text.startsWith(this.#text) ? this.add(this.#id, text) : null
  }
}
