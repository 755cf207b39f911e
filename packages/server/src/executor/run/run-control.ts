import type { RunReason } from '@clawboo/core/executor'
import type { Occupant } from '../conversations/agent-lanes.ts'
import type { StopCause } from '../dispatch/report-of.ts'
import type { RunningTurn } from './drain-run.ts'

/** The handle on one attempt from before its claim: whoever wants it to end says so here, whatever it is about. */
export class AttemptControl implements Occupant {
  readonly sessionKey: string
  readonly #abort = new AbortController()
  readonly #free = Promise.withResolvers<void>()
  #active: Occupant['active'] = null
  #cause: StopCause | null = null

  constructor(sessionKey: string) {
    this.sessionKey = sessionKey
  }

  get active(): Occupant['active'] {
    return this.#active
  }

  /** The first one; null = nobody wants it to end. */
  get cause(): StopCause | null {
    return this.#cause
  }

  /** For what goes on without a run, such as a check. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  began(runId: string, running: RunningTurn): void {
    this.#active = { runId, running }
    if (this.#cause !== null) running.stop(reasonOf(this.#cause))
  }

  runEnded(): void {
    this.#active = null
  }

  end(cause: StopCause): void {
    this.#cause ??= cause
    this.#abort.abort()
    this.#active?.running.stop(reasonOf(cause))
  }

  /** The agent is free, whatever else is still to be done. */
  freed(): void {
    this.#free.resolve()
  }

  stop(reason: RunReason): Promise<void> {
    this.end(reason)
    return this.#free.promise
  }
}

function reasonOf(cause: StopCause): RunReason {
  return cause === 'taken_back' || cause === 'not_ours' ? 'aborted_by_person' : cause
}
