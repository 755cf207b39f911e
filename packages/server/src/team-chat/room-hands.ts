import type { RunReason } from '@clawboo/core/executor'
import type { SpeakStep } from '@clawboo/core/team-chat'
import type { RunControl } from '../executor/run/run-control.ts'

/** What others can do to a room while it is driven. */
export class RoomHands {
  /** The exchange that is driven; null = none yet. */
  exchangeId: string | null = null
  /** The turn that waits for its agent or is under way; null = none. */
  turn: { readonly control: RunControl; readonly step: SpeakStep } | null = null
  /** Something may have been queued since it was last looked. */
  again = false
  #leaving: 'server_stopping' | 'not_ours' | null = null

  get isLeaving(): boolean {
    return this.#leaving !== null
  }

  /** Goes no further: the server stops, or the room is another one's. */
  leave(cause: 'server_stopping' | 'not_ours'): void {
    this.#leaving ??= cause
    this.turn?.control.end(this.#leaving)
  }

  begin(turn: NonNullable<RoomHands['turn']>): void {
    this.turn = turn
    if (this.#leaving) turn.control.end(this.#leaving)
  }

  stopTurn(reason: RunReason): void {
    this.turn?.control.end(reason)
  }
}
