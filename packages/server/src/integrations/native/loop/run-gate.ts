import type { Prompt, SteerOutcome } from '@clawboo/core/executor'

/**
 * The only way to add a prompt to a run. Every method is synchronous, so a prompt is either accepted or refused: no
 * prompt can slip in between closing the gate and returning the undelivered prompts.
 */
export class RunGate {
  /** Accepted but not yet in the transcript, in arrival order. */
  #waiting: Prompt[] = []
  #closed = false

  steer(prompt: Prompt): SteerOutcome {
    if (this.#closed) return { accepted: false, reason: 'no_active_run' }
    this.#waiting.push(prompt)
    return { accepted: true }
  }

  /**
   * The prompts to deliver next. They stay here until `delivered` confirms that they are on disk. A copy, because a prompt
   * that arrives during the write must not count as written.
   */
  get waiting(): readonly Prompt[] {
    return [...this.#waiting]
  }

  /** Confirms that the first `count` waiting prompts are in the transcript. */
  delivered(count: number): void {
    this.#waiting = this.#waiting.slice(count)
  }

  /** Closes the gate if no prompt is waiting. Returns false, and stays open, when the run has to go on. */
  closeWhenEmpty(): boolean {
    if (this.#waiting.length > 0) return false
    this.#closed = true
    return true
  }

  /** Closes the gate and returns the ids of the undelivered prompts. */
  close(): readonly string[] {
    this.#closed = true
    return this.#waiting.splice(0).map((prompt) => prompt.id)
  }

  get closed(): boolean {
    return this.#closed
  }
}
