import type { MessageMode } from '@clawboo/core/executor'

/** One way to send while a Boo works, in one sentence. */
export interface SendMode<Mode> {
  readonly mode: Mode
  readonly label: string
  readonly about: string
}

export const AGENT_MODES: readonly SendMode<MessageMode>[] = [
  { mode: 'steer', label: 'Steer', about: 'It reads this after its current step and continues.' },
  { mode: 'followup', label: 'Follow up', about: 'It reads this when it finishes, in a new run.' },
  { mode: 'collect', label: 'Collect', about: 'It reads this when it finishes, with the other waiting messages.' },
  { mode: 'interrupt', label: 'Interrupt', about: 'It stops now and reads this.' },
]

export type RoomMode = 'queue' | 'steer'

/** To a room with an exchange in progress; the first is the default. */
export const ROOM_MODES: readonly SendMode<RoomMode>[] = [
  { mode: 'queue', label: 'Send after', about: 'Sends when this finishes' },
  { mode: 'steer', label: 'Steer now', about: 'Joins the current exchange' },
]

/** The entry of a mode, or the first of the list for an unknown mode. */
export function modeOf<Mode>(modes: readonly SendMode<Mode>[], mode: Mode): SendMode<Mode> {
  return modes.find((known) => known.mode === mode) ?? modes[0]!
}
