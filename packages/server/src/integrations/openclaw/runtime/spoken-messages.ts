export interface Piece {
  readonly message: number
  readonly offset: number
  readonly text: string
}

/** The assistant's messages in a run, as pieces that join without gaps. */
export class SpokenMessages {
  #count = 0
  #id: string | null = null
  #text = ''
  /** The newest message belongs to the current model call. */
  #isOfThisCall = false

  /** The number of the next message. */
  get next(): number {
    return this.#count
  }

  /** The newest message; null when there is none. */
  get last(): string | null {
    return this.#count === 0 ? null : this.#text
  }

  /** Starts another model call, whose text is a new message. */
  nextCall(): void {
    this.#isOfThisCall = false
  }

  /** `text` is the whole message so far. Returns null when nothing is new. */
  add(id: string, text: string): Piece | null {
    const isAnother = this.#id !== id
    if (text === '' && isAnother) return null
    if (isAnother) {
      this.#count += 1
      this.#id = id
      this.#text = ''
    }
    const offset = this.#text.length
    // Reported text cannot be retracted, so only the part beyond the reported length is sent.
    const piece = text.slice(offset)
    if (piece === '') return null
    this.#text += piece
    this.#isOfThisCall = true
    return { message: this.#count - 1, offset, text: piece }
  }

  /** Adds a complete message, possibly a second time. Returns null when it was already reported. */
  addWhole(id: string, text: string): Piece | null {
    const isSame = this.#isOfThisCall && (text.startsWith(this.#text) || this.#text.trim() === text.trim())
    return this.add(isSame ? this.#id! : id, text)
  }

  /** Adds the text of a truncated message. Returns null unless it continues the newest message. */
  addCutOff(text: string): Piece | null {
    return this.#id !== null && text.startsWith(this.#text) ? this.add(this.#id, text) : null
  }
}
