import type { RoomPreview } from '../../../api/room/room-actions.ts'

export type WakeReason = RoomPreview['wakes'][number]['because']

/** Why a Boo will run, short enough for a chip. */
export const WAKE_WORDS: Readonly<Record<WakeReason, string>> = {
  leader: 'leads',
  message: 'leads',
  mention: 'mentioned',
  post: 'asked by a teammate',
  task_assigned: 'given a task',
  task_finished: 'a report landed',
  task_blocked: 'a task is stuck',
}

/** The same reasons, as they follow "because". */
export const BECAUSE_WORDS: Readonly<Record<WakeReason, string>> = {
  leader: 'it leads',
  message: 'it leads, and somebody said something',
  mention: 'it was mentioned',
  post: 'a teammate asked it',
  task_assigned: 'it was given a task',
  task_finished: 'work on a task has ended',
  task_blocked: 'a task cannot go on',
}

/** "Kit", "Kit and Moss", "Kit, Moss and Juno". */
export function namesInWords(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
