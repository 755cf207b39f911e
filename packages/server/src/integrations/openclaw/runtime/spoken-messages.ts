interface Piece {
  readonly message: number
  readonly offset: number
  readonly text: string
}

/** What the assistant has said in a run, message by message, as pieces that join without a gap. */
export class SpokenMessages {
  #count = 0
  #id: string | null = null
  #text = ''
  #hasPaused = false
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

  /** A tool came: where messages have no name, the next words are another one. */
  pause(): void {
    this.#hasPaused = true
  }

  /** Another model call: what it says is another message. */
  nextCall(): void {
    this.#hasPaused = true
    this.#isOfThisCall = false
  }

  /** `text` is all of the message so far; null when nothing of it is new. */
  add(id: string, text: string): Piece | null {
    const isAnother = this.#id !== id || (id === '' && this.#hasPaused)
    if (text === '' && isAnother) return null
    if (isAnother) {
      this.#count += 1
      this.#id = id
      this.#text = ''
    }
    this.#hasPaused = false
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
}
