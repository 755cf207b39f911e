import type { RunReason } from '@clawboo/core/executor'
import type { OpenRun } from './run-service.ts'

/** The reason that work was stopped. `taken_back`: by a person. `not_ours`: this server lost its lease. */
export type StopCause = RunReason | 'taken_back' | 'not_ours'

/**
 * Ends a task attempt or a turn at any stage: while it waits for its agent, during its run, and while the host checks
 * the result.
 */
export class RunControl {
  readonly sessionKey: string
  readonly #abort = new AbortController()
  readonly #free = Promise.withResolvers<void>()
  #run: OpenRun | null = null
  #cause: StopCause | null = null

  constructor(sessionKey: string) {
    this.sessionKey = sessionKey
  }

  /** The active run; null before it starts and after it ends. */
  get run(): OpenRun | null {
    return this.#run
  }

  /** The first cause; null = nothing has stopped the work. */
  get cause(): StopCause | null {
    return this.#cause
  }

  /** Aborted with the first cause; for work outside the run, such as a check. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  began(run: OpenRun): void {
    this.#run = run
    if (this.#cause !== null) run.stop(reasonOf(this.#cause))
  }

  runEnded(): void {
    this.#run = null
  }

  end(cause: StopCause): void {
    this.#cause ??= cause
    this.#abort.abort()
    this.#run?.stop(reasonOf(cause))
  }

  /** Call this when the agent is free again, even if the host still has work to do. */
  freed(): void {
    this.#free.resolve()
  }

  /** Resolves when the agent is free. */
  stop(reason: RunReason): Promise<void> {
    this.end(reason)
    return this.#free.promise
  }
}

function reasonOf(cause: StopCause): RunReason {
  return cause === 'taken_back' || cause === 'not_ours' ? 'aborted_by_person' : cause
}
