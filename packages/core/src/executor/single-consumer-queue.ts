/**
 * Values for exactly one reader, in order. The reader is there from the moment the queue is, so nothing pushed before
 * its first `next` is missed; a second reader is a mistake and throws. Pushing after the end does nothing.
 */
export class SingleConsumerQueue<T> implements AsyncIterable<T> {
  #values: T[] = []
  /** Index of the next value: shifting a long array for every read would cost its length each time. */
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

  /** Ends the iteration after what was already pushed. */
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
    if (this.#wake) throw new TypeError('the reader asked twice before it was answered')
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
