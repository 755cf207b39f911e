import type { RunEntry, RuntimeEvent } from '@clawboo/core/executor'

/**
 * Turns a run's stream into what is kept of it: consecutive deltas of one message become one entry. An entry is handed
 * out once it can no longer grow.
 */
export class DeltaMerger {
  #open: (RuntimeEvent & { type: 'text-delta' | 'reasoning-delta' }) | null = null
  /** The parts of the open entry: joined once, because text that grows by a word at a time would be copied each time. */
  #parts: string[] = []

  /** The entries that this event completes. */
  add(event: RuntimeEvent): RunEntry[] {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const open = this.#open
      if (open && open.type === event.type && open.message === event.message && !isBlock(event)) {
        this.#parts.push(event.text)
        return []
      }
      const done = this.flush()
      this.#open = event
      this.#parts = [event.text]
      return done
    }
    return [...this.flush(), event]
  }

  /** What is still growing, as it is now. */
  get open(): RunEntry | null {
    return this.#open && { ...this.#open, text: this.#parts.join('') }
  }

  /** Takes out what is still growing. */
  flush(): RunEntry[] {
    const open = this.open
    this.#open = null
    this.#parts = []
    return open ? [open] : []
  }
}

function isBlock(event: RuntimeEvent): boolean {
  return event.type === 'text-delta' && event.block === true
}
