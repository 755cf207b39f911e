import { hasFailed, type TaskAssignee, type TaskStatus } from '@clawboo/core/board'
import type { Tone } from '../../ui/pill.tsx'
import { capital } from '../../ui/words/sentence.ts'
import { isYou } from '../agent/participant-name.ts'

/** The title of a column and of the status of its tasks. */
export const STATUS_TITLES: Readonly<Record<TaskStatus, string>> = {
  backlog: 'Backlog',
  todo: 'To do',
  in_progress: 'In progress',
  in_review: 'In review',
  done: 'Done',
  blocked: 'Blocked',
  cancelled: 'Cancelled',
}

/** The only function that names the state of a task. */
export function taskState(task: { readonly status: TaskStatus; readonly failedAt: number | null }): {
  readonly word: string
  readonly tone: Tone | 'outline'
} {
  if (hasFailed(task)) return { word: 'Failed', tone: 'bad' }
  return { word: STATUS_TITLES[task.status], tone: TONES[task.status] }
}

const TONES: Readonly<Record<TaskStatus, Tone | 'outline'>> = {
  backlog: 'outline',
  todo: 'outline',
  in_progress: 'working',
  in_review: 'needs',
  done: 'good',
  blocked: 'bad',
  cancelled: 'plain',
}

/** Why a task in To do does not start. */
export interface TaskWait {
  readonly code: string
  readonly reason: string
}

/** Why a card is in its column; null when the column already explains it. */
export function whyWords(
  task: { readonly status: TaskStatus; readonly reason: string | null; readonly assignee: TaskAssignee | null },
  wait: TaskWait | null,
): string | null {
  if (task.reason !== null) return task.reason
  if (task.status !== 'todo' || wait === null) return null
  const isYours = task.assignee !== null && isYou(task.assignee)
  return wait.code === 'waits_for_person' && isYours ? 'Needs you' : capital(wait.reason)
}

export function waitsForWords(openBlockers: number): string {
  return `waits for ${openBlockers}`
}
