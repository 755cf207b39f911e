import type { RunOver, Signal } from '../translate.ts'

/** An older release retries some failed runs automatically, within half of this time. */
const SILENT_MS = 6_000

/** A Gateway reports that a run failed and then that it ended; older releases send only the first. */
export class SilentFailures {
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #over: (end: RunOver & { readonly sessionKey: string }) => void

  constructor(over: (end: RunOver & { readonly sessionKey: string }) => void) {
    this.#over = over
  }

  observe(signal: Signal): void {
    // A row describes the past and may arrive late.
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
