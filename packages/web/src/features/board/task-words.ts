import {
  type Evidence,
  type EvidenceLack,
  hasFailed,
  type TaskAssignee,
  type TaskPriority,
  type TaskStatus,
} from '@clawboo/core/board'
import type { TaskAttempt, TaskDetail } from '../../api/tasks.ts'
import type { Tone } from '../../ui/agent-state.ts'
import { counted } from '../../ui/time-words.ts'
import { isYou } from './is-you.ts'

/** What a column and a task in it are called. */
export const STATUS_TITLES: Readonly<Record<TaskStatus, string>> = {
  backlog: 'Backlog',
  todo: 'To do',
  in_progress: 'In progress',
  in_review: 'In review',
  done: 'Done',
  blocked: 'Blocked',
  cancelled: 'Cancelled',
}

export const PRIORITY_TITLES: Readonly<Record<TaskPriority, string>> = {
  low: 'Low',
  normal: 'Normal',
  high: 'High',
  urgent: 'Urgent',
}

/** The one function that says how a task stands. */
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

/** Why a task that is to do does not start. */
export type TaskWait = Pick<NonNullable<TaskDetail['wait']>, 'code' | 'reason'>

/** Why a card stands where it stands; null when its column says all. */
export function whyWords(
  task: { readonly status: TaskStatus; readonly reason: string | null; readonly assignee: TaskAssignee | null },
  wait: TaskWait | null,
): string | null {
  if (task.reason !== null) return task.reason
  if (task.status !== 'todo' || wait === null) return null
  const isYours = task.assignee !== null && isYou(task.assignee)
  return wait.code === 'waits_for_person' && isYours ? 'Waits for you' : sentenceStart(wait.reason)
}

export function waitsForWords(openBlockers: number): string {
  return `waits for ${openBlockers}`
}

export function evidenceWords(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'check':
      return `The check ${evidence.command} ${checkWords(evidence.exitCode)}`
    case 'diff':
      return 'What it changed was seen and kept'
    case 'artefact':
      return `The file ${evidence.path} was seen and kept`
    case 'sign-off':
      return `Signed off by ${evidence.person.name}`
  }
}

export function checkWords(exitCode: number | null): string {
  if (exitCode === null) return 'did not come to its end'
  return exitCode === 0 ? 'passed' : `failed with exit code ${exitCode}`
}

export function evidenceTone(evidence: Evidence): 'good' | 'bad' {
  return evidence.kind === 'check' && evidence.exitCode !== 0 ? 'bad' : 'good'
}

/** What an override overrode, after “although”. */
export const LACK_WORDS: Readonly<Record<EvidenceLack, string>> = {
  evidence_missing: 'nothing showed that it was done',
  evidence_stale: 'the evidence was older than the newest change',
  check_failed: 'the newest check had failed',
}

export function attemptState(state: TaskAttempt['state']): { readonly word: string; readonly tone: Tone } {
  return ATTEMPTS[state]
}

const ATTEMPTS: Readonly<Record<TaskAttempt['state'], { readonly word: string; readonly tone: Tone }>> = {
  running: { word: 'Working', tone: 'working' },
  lost: { word: 'Lost or taken back', tone: 'plain' },
  completed: { word: 'Finished', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  blocked: { word: 'Needs you', tone: 'needs' },
  released: { word: 'Given back', tone: 'plain' },
}

export function mergeWords(how: 'fast-forward' | 'merge-commit' | 'applied' | 'nothing', files: number): string {
  if (how === 'nothing') return 'The project has all of it already; nothing was changed'
  const what = `${counted(files, 'file')} taken over into the project`
  return how === 'merge-commit' ? `${what}, with a merge commit` : what
}

function sentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
