import type { RunOver, Signal } from '../translate.ts'

/** An older release tries some failed runs again by itself, within half of this. */
const SILENT_MS = 6_000

/** A Gateway says that a run failed and then that it is over; older releases say no more than the first. */
export class SilentFailures {
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #over: (end: RunOver & { readonly sessionKey: string }) => void

  constructor(over: (end: RunOver & { readonly sessionKey: string }) => void) {
    this.#over = over
  }

  hear(signal: Signal): void {
    // A row tells of what was, and may come late.
    if (!('runId' in signal) || signal.type === 'spent') return
    const { runId, sessionKey } = signal
    clearTimeout(this.#timers.get(runId))
    this.#timers.delete(runId)
    if (signal.type !== 'failed') return
    const end = { type: 'over', sessionKey, runId, how: 'error', text: null, problem: signal.problem } as const
    const timer = setTimeout(() => {
      this.#timers.delete(runId)
      this.#over(end)
    }, SILENT_MS)
    this.#timers.set(runId, timer)
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }
}
