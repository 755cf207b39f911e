/** Turns pushed values into independent async iterations. Every subscriber gets each value once, in order. */
export class EventQueue<T> {
  readonly #subscribers = new Set<Subscriber<T>>()

  push(value: T): void {
    for (const subscriber of this.#subscribers) subscriber.push(value)
  }

  /** Subscribes at the call, so no value pushed before the first `next` is missed. */
  subscribe(): AsyncIterableIterator<T> {
    const subscriber = new Subscriber<T>(() => this.#subscribers.delete(subscriber))
    this.#subscribers.add(subscriber)
    return subscriber
  }

  /** Ends every iteration after the values already pushed. */
  end(): void {
    for (const subscriber of [...this.#subscribers]) subscriber.end()
  }

  get subscriberCount(): number {
    return this.#subscribers.size
  }
}

class Subscriber<T> implements AsyncIterableIterator<T> {
  readonly #waitingValues: T[] = []
  readonly #waitingReaders: ((result: IteratorResult<T>) => void)[] = []
  readonly #leave: () => void
  #ended = false

  constructor(leave: () => void) {
    this.#leave = leave
  }

  push(value: T): void {
    if (this.#ended) return
    const reader = this.#waitingReaders.shift()
    if (reader) reader({ value, done: false })
    else this.#waitingValues.push(value)
  }

  end(): void {
    this.#ended = true
    this.#leave()
    for (const reader of this.#waitingReaders.splice(0)) reader({ value: undefined, done: true })
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#waitingValues.length > 0) return Promise.resolve({ value: this.#waitingValues.shift()!, done: false })
    if (this.#ended) return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve) => this.#waitingReaders.push(resolve))
  }

  return(): Promise<IteratorResult<T>> {
    this.#waitingValues.length = 0
    this.end()
    return Promise.resolve({ value: undefined, done: true })
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return this
  }
}
