import type { MessageMode } from '@clawboo/core/executor'

/** What can happen to a message that comes while the Boo works, each in one sentence. */
export const SEND_MODES: readonly {
  readonly mode: MessageMode
  readonly label: string
  readonly about: string
}[] = [
  { mode: 'steer', label: 'Steer', about: 'It reads this after its current tool calls and goes on.' },
  { mode: 'followup', label: 'Follow up', about: 'It reads this when it is done, in a run of its own.' },
  { mode: 'collect', label: 'Collect', about: 'It reads this when it is done, together with what else waits.' },
  { mode: 'interrupt', label: 'Interrupt', about: 'It stops now and reads this.' },
]

export function modeWords(mode: MessageMode): (typeof SEND_MODES)[number] {
  return SEND_MODES.find((known) => known.mode === mode) ?? SEND_MODES[0]!
}
