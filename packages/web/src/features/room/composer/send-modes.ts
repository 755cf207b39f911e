import { modeOf, ROOM_MODES, type RoomMode } from '../../../shared/composer/send-modes.ts'

/** How a message is sent; null while no exchange is in progress. */
export function modeInForce(open: readonly unknown[], chosen: RoomMode): RoomMode | null {
  return open.length === 0 ? null : chosen
}

/** The effect of the mode now. `joins`: whether there is an exchange to join; undefined while unknown. */
export function modeWords(mode: RoomMode, joins: boolean | undefined): string {
  if (mode === 'steer' && joins === false) return 'Nothing to join now. This starts a new exchange.'
  return modeOf(ROOM_MODES, mode).about
}

/** The announcement after sending. */
export function sentWords(mode: RoomMode | null, joined: boolean): string {
  if (joined) return 'Sent. It joins the current exchange.'
  return mode === 'queue' ? 'Sent. It waits until this finishes.' : 'Sent.'
}
