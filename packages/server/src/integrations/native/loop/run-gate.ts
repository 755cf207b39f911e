import type { Prompt, SteerOutcome } from '@clawboo/core/executor'

/**
 * The one door into a run. Everything here happens in a single tick, so a prompt is either in the run or refused:
 * closing and handing back what was not delivered cannot be told apart from outside.
 */
export class RunGate {
  /** Accepted, not yet in the transcript; in arrival order. */
  #waiting: Prompt[] = []
  #closed = false

  steer(prompt: Prompt): SteerOutcome {
    if (this.#closed) return { accepted: false, reason: 'no_active_run' }
    this.#waiting.push(prompt)
    return { accepted: true }
  }

  /**
   * What is to be delivered next. It stays accepted until `delivered` says that it is on disk. A copy: what comes while
   * these are being written must not count as written.
   */
  get waiting(): readonly Prompt[] {
    return [...this.#waiting]
  }

  /** The first `count` are in the transcript now. */
  delivered(count: number): void {
    this.#waiting = this.#waiting.slice(count)
  }

  /** Closes only when nobody is waiting; false = somebody is, and the run has to go on. */
  closeWhenEmpty(): boolean {
    if (this.#waiting.length > 0) return false
    this.#closed = true
    return true
  }

  /** Closes in any case and hands back the ids of what was not delivered. */
  close(): readonly string[] {
    this.#closed = true
    return this.#waiting.splice(0).map((prompt) => prompt.id)
  }

  get closed(): boolean {
    return this.#closed
  }
}
