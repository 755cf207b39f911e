import type { RunEntry, RuntimeEvent } from '@clawboo/core/executor'

/**
 * Turns a run's stream into its stored entries: consecutive deltas of one message become one entry. An entry is returned
 * when it can no longer grow.
 */
export class DeltaMerger {
  #open: (RuntimeEvent & { type: 'text-delta' | 'reasoning-delta' }) | null = null
  /** The texts of the open entry. Joined once: growing a string word by word would copy it each time. */
  #texts: string[] = []

  /** The entries that this event completes. */
  add(event: RuntimeEvent): RunEntry[] {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const open = this.#open
      if (open && open.type === event.type && open.message === event.message && !isBlock(event)) {
        this.#texts.push(event.text)
        return []
      }
      const done = this.flush()
      this.#open = event
      this.#texts = [event.text]
      return done
    }
    return [...this.flush(), event]
  }

  /** The entry that can still grow, in its current state. */
  get open(): RunEntry | null {
    return this.#open && { ...this.#open, text: this.#texts.join('') }
  }

  /** Completes the entry that can still grow. */
  flush(): RunEntry[] {
    const open = this.open
    this.#open = null
    this.#texts = []
    return open ? [open] : []
  }
}

function isBlock(event: RuntimeEvent): boolean {
  return event.type === 'text-delta' && event.block === true
}
