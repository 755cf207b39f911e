import type { After } from './after.ts'

/** A clock that moves only in `pass`. */
export class TestClock {
  now = 0
  #timers: { at: number; run: () => void }[] = []

  readonly after: After = (ms, run) => {
    const timer = { at: this.now + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  get pending(): number {
    return this.#timers.length
  }

  /** Advances the clock. Pending promise callbacks run before and after every timer. */
  async pass(ms: number): Promise<void> {
    await new Promise(setImmediate)
    const end = this.now + ms
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      this.#timers = this.#timers.filter((other) => other !== next)
      this.now = next.at
      next.run()
      await new Promise(setImmediate)
    }
    this.now = end
    await new Promise(setImmediate)
  }
}
