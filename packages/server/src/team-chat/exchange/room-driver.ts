import type { RunReason } from '@clawboo/core/executor'
import type { SpeakStep } from '@clawboo/core/team-chat'
import type { RunControl } from '../../executor/run/run-control.ts'

/** A turn that is running or waits for its agent. */
interface ActiveTurn {
  readonly control: RunControl
  readonly step: SpeakStep
}

/** The state of the loop that drives a room (`driveRoom`), and the ways to stop it. */
export class RoomDriver {
  /** The current exchange; null = none yet. */
  exchangeId: string | null = null
  turn: ActiveTurn | null = null
  /** Whether an exchange may have been queued since the driver last checked. */
  mustCheckAgain = false
  #stopCause: 'server_stopping' | 'not_ours' | null = null

  get isStopping(): boolean {
    return this.#stopCause !== null
  }

  /** Ends the loop and the current turn: the server stops, or another server has the room. */
  stop(cause: 'server_stopping' | 'not_ours'): void {
    this.#stopCause ??= cause
    this.turn?.control.end(this.#stopCause)
  }

  beginTurn(turn: ActiveTurn): void {
    this.turn = turn
    if (this.#stopCause) turn.control.end(this.#stopCause)
  }

  stopTurn(reason: RunReason): void {
    this.turn?.control.end(reason)
  }
}
