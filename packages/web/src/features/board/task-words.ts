import type { Evidence, EvidenceLack, TaskPriority } from '@clawboo/core/board'
import type { TaskAttempt } from '../../api/tasks.ts'
import type { Tone } from '../../ui/pill.tsx'
import { counted } from '../../ui/words/time-words.ts'

export const PRIORITY_TITLES: Readonly<Record<TaskPriority, string>> = {
  low: 'Low',
  normal: 'Normal',
  high: 'High',
  urgent: 'Urgent',
}

export function evidenceWords(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'check':
      return `The check ${evidence.command} ${checkWords(evidence.exitCode)}`
    case 'diff':
      return 'Changes recorded'
    case 'artefact':
      return `File ${evidence.path} recorded`
    case 'sign-off':
      return `Approved by ${evidence.person.name}`
  }
}

export function checkWords(exitCode: number | null): string {
  if (exitCode === null) return 'did not finish'
  return exitCode === 0 ? 'passed' : `failed with exit code ${exitCode}`
}

export function evidenceTone(evidence: Evidence): 'good' | 'bad' {
  return evidence.kind === 'check' && evidence.exitCode !== 0 ? 'bad' : 'good'
}

/** The missing evidence of an override, phrased to follow “although”. */
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
  lost: { word: 'Lost or stopped', tone: 'plain' },
  completed: { word: 'Finished', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  blocked: { word: 'Needs you', tone: 'needs' },
  released: { word: 'Released', tone: 'plain' },
}

export function mergeWords(how: 'fast-forward' | 'merge-commit' | 'applied' | 'nothing', files: number): string {
  if (how === 'nothing') return 'The project already has all changes'
  const what = `${counted(files, 'file')} merged into the project`
  return how === 'merge-commit' ? `${what}, with a merge commit` : what
}
