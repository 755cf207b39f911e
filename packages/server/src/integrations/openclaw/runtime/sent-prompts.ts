import type { Prompt } from '@clawboo/core/executor'

export interface SentPrompt {
  readonly prompt: Prompt
  /** The Gateway's id of the run that the prompt would start. */
  readonly key: string
  isStored: boolean
  isReported: boolean
  /** The prompt's own id has ended: it was answered, joined another run, was queued behind one, or was dropped. */
  isOver: boolean
  /** The prompt is queued behind a run, so its answer gets an id that the Gateway chooses. */
  isQueued: boolean
}

/** The prompts of one run, in the order in which they were sent. */
export class SentPrompts {
  readonly #all: SentPrompt[] = []

  get first(): SentPrompt | undefined {
    return this.#all[0]
  }

  /** The Gateway ids that have not ended. */
  get openKeys(): readonly string[] {
    return this.#all.filter(({ isOver }) => !isOver).map(({ key }) => key)
  }

  /** Whether a prompt waits behind a run, without an id that could be aborted. */
  get hasQueued(): boolean {
    return this.#all.some(({ isQueued }) => isQueued)
  }

  /** No prompt is in the Gateway's record. */
  get areUntouched(): boolean {
    return this.#all.every(({ isStored }) => !isStored)
  }

  /** The ids of the prompts that did not reach the agent. */
  get undelivered(): readonly string[] {
    return this.#all.filter(({ isReported }) => !isReported).map(({ prompt }) => prompt.id)
  }

  find(key: string): SentPrompt | undefined {
    return this.#all.find((sent) => sent.key === key)
  }

  add(prompt: Prompt, key: string): void {
    this.#all.push({ prompt, key, isStored: false, isReported: false, isOver: false, isQueued: false })
  }

  /** Adds a prompt that could not be sent. */
  addUnsent(prompt: Prompt): void {
    this.#all.push({ prompt, key: '', isStored: false, isReported: false, isOver: true, isQueued: false })
  }

  remove(key: string): void {
    const at = this.#all.findIndex((sent) => sent.key === key)
    if (at >= 0) this.#all.splice(at, 1)
  }

  /** Removes and returns all prompts. */
  clear(): readonly Prompt[] {
    return this.#all.splice(0).map(({ prompt }) => prompt)
  }

  /**
   * Marks a prompt as stored by the Gateway. Returns the prompts that now count as delivered: each waits for the ones
   * before it.
   */
  markStored(key: string): readonly Prompt[] {
    const sent = this.find(key)
    if (!sent || sent.isStored) return []
    sent.isStored = true
    const gap = this.#all.findIndex(({ isStored }) => !isStored)
    const delivered = this.#all.slice(0, gap < 0 ? undefined : gap).filter(({ isReported }) => !isReported)
    for (const one of delivered) one.isReported = true
    return delivered.map(({ prompt }) => prompt)
  }

  /** The queued prompts whose text is a part of this one. */
  queuedIn(text: string): readonly SentPrompt[] {
    return this.#all.filter(({ isQueued, prompt }) => isQueued && text.includes(prompt.text))
  }

  /** Marks that no prompt waits behind a run any more. */
  unqueue(): void {
    for (const sent of this.#all) sent.isQueued = false
  }
}
