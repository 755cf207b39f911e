/**
 * Delivers values to exactly one reader, in order, including values pushed before the first read. A second reader
 * throws. A push after the end does nothing.
 */
export class SingleConsumerQueue<T> implements AsyncIterable<T> {
  #values: T[] = []
  /** The index of the next value: shifting a long array at every read would be slow. */
  #head = 0
  #wake: ((result: IteratorResult<T>) => void) | null = null
  #ended = false
  #taken = false

  push(value: T): void {
    if (this.#ended) return
    if (this.#wake) {
      const wake = this.#wake
      this.#wake = null
      wake({ value, done: false })
    } else this.#values.push(value)
  }

  /** Ends the iteration after the values that were already pushed. */
  end(): void {
    this.#ended = true
    this.#wake?.({ value: undefined, done: true })
    this.#wake = null
  }

  get ended(): boolean {
    return this.#ended
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    if (this.#taken) throw new TypeError('a single-consumer queue has one reader')
    this.#taken = true
    return { next: () => this.#next(), return: () => this.#leave() }
  }

  #next(): Promise<IteratorResult<T>> {
    if (this.#head < this.#values.length) {
      const value = this.#values[this.#head]!
      this.#head += 1
      if (this.#head === this.#values.length) {
        this.#values = []
        this.#head = 0
      }
      return Promise.resolve({ value, done: false })
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true })
    if (this.#wake) throw new TypeError('the reader called next again before the last call had resolved')
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #leave(): Promise<IteratorResult<T>> {
    this.#values = []
    this.#head = 0
    this.end()
    return Promise.resolve({ value: undefined, done: true })
  }
}
