import { findReasonProblem, type Task } from './task.ts'

/** What the host has seen of a task's work. An agent's word is none. */
export type Evidence = { readonly id: string; readonly taskId: string; readonly at: number } & (
  | CheckEvidence
  /** The work as a difference to the project. */
  | { readonly kind: 'diff'; readonly sha256: string }
  | { readonly kind: 'artefact'; readonly sha256: string; readonly path: string }
  | { readonly kind: 'sign-off'; readonly person: NamedPerson }
)

/** The team's check command, run in the task's worktree. */
export interface CheckEvidence {
  readonly kind: 'check'
  readonly command: string
  /** null = it was ended before it could exit. */
  readonly exitCode: number | null
}

export type EvidenceKind = Evidence['kind']

export const EVIDENCE_KINDS = ['check', 'diff', 'artefact', 'sign-off'] as const satisfies readonly EvidenceKind[]

/** The operator or a person, by a name that people know. */
export interface NamedPerson {
  readonly id: string
  readonly name: string
}

/** A person's word that a task is done without evidence. */
export interface DoneOverride {
  readonly by: { readonly kind: 'person' | 'agent' | 'host' } & NamedPerson
  readonly reason: string
  readonly at: number
}

export type EvidenceLack = 'evidence_missing' | 'evidence_stale' | 'check_failed'

export type DoneVerdict =
  | { readonly ok: true; readonly evidence: Evidence; readonly override: null }
  /** Done all the same: kept with the task and shown, with what it overrode. */
  | { readonly ok: true; readonly evidence: null; readonly override: DoneOverride & { readonly lack: EvidenceLack } }
  | { readonly ok: false; readonly code: EvidenceLack | 'override_refused'; readonly message: string }

/**
 * Whether a task may become done. A sign-off counts most, then the newest check; a diff or an artefact counts only for a
 * task that was never checked, so that nothing weaker stands in for a check that failed or is too old.
 */
export function judgeDone(given: {
  readonly task: Pick<Task, 'id' | 'changedAt'>
  readonly evidence: readonly Evidence[]
  readonly override: DoneOverride | null
}): DoneVerdict {
  const found = weigh(given.task, given.evidence)
  if ('evidence' in found) return { ok: true, evidence: found.evidence, override: null }
  const { override } = given
  if (!override) return { ok: false, code: found.lack, message: found.message }
  const problem = overrideProblem(override)
  if (problem !== null) return { ok: false, code: 'override_refused', message: problem }
  return { ok: true, evidence: null, override: { ...override, lack: found.lack } }
}

/** What is wrong with a piece of evidence that somebody wants to write; null = nothing. */
export function findEvidenceProblem(evidence: Evidence, by: DoneOverride['by']): string | null {
  if (by.kind === 'agent') return 'An agent cannot write evidence.'
  if (!Number.isFinite(evidence.at)) return 'Evidence has a time.'
  switch (evidence.kind) {
    case 'sign-off':
      return by.kind === 'person' && isNamed(evidence.person) && isSame(by, evidence.person)
        ? null
        : 'A sign-off is written for the person who gives it, by name.'
    case 'check':
      if (by.kind !== 'host') return HOST_ONLY
      return evidence.exitCode === null || Number.isSafeInteger(evidence.exitCode) ? null : 'An exit code is a number.'
    case 'diff':
      if (by.kind !== 'host') return HOST_ONLY
      return isSha256(evidence.sha256) ? null : NO_HASH
    case 'artefact':
      if (by.kind !== 'host') return HOST_ONLY
      if (!isSha256(evidence.sha256)) return NO_HASH
      return isInside(evidence.path) ? null : 'An artefact has a path within the task’s folder.'
    default:
      return 'There is no such kind of evidence.'
  }
}

const HOST_ONLY = 'Only the host writes what it has seen itself.'
const NO_HASH = 'A hash is 64 hexadecimal digits.'

type Weighed = { readonly evidence: Evidence } | { readonly lack: EvidenceLack; readonly message: string }

function weigh(task: Pick<Task, 'id' | 'changedAt'>, all: readonly Evidence[]): Weighed {
  const own = all.filter(({ taskId, at }) => taskId === task.id && Number.isFinite(at)).toSorted(newestFirst)
  const isFresh = ({ at }: Evidence) => task.changedAt === null || at >= task.changedAt
  const check = own.find(({ kind }) => kind === 'check')
  const failed = check?.kind === 'check' && check.exitCode !== 0 ? check : null
  const signOff = own.find(({ kind }) => kind === 'sign-off')
  if (signOff && isFresh(signOff) && !(failed && failed.at > signOff.at)) return { evidence: signOff }
  if (failed) return { lack: 'check_failed', message: `The newest check failed: ${exitWords(failed.exitCode)}.` }
  const counted = check ?? own.find(({ kind }) => kind === 'diff' || kind === 'artefact')
  if (counted && isFresh(counted)) return { evidence: counted }
  if (own.length === 0) return { lack: 'evidence_missing', message: 'Nothing shows that the task is done.' }
  const what = check ? 'newest check' : 'newest evidence'
  return { lack: 'evidence_stale', message: `The ${what} is older than the newest change.` }
}

/** Of two checks at the same time the failed one goes first: it must not be hidden by the other. */
function newestFirst(a: Evidence, b: Evidence): number {
  if (a.at !== b.at) return b.at - a.at
  const rank = (evidence: Evidence) => (evidence.kind === 'check' && evidence.exitCode !== 0 ? 0 : 1)
  return rank(a) - rank(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function overrideProblem({ by, reason, at }: DoneOverride): string | null {
  if (by.kind !== 'person') return 'Only a person can say that a task is done without evidence.'
  if (!isNamed(by)) return 'Whoever overrides the evidence is named.'
  if (!Number.isFinite(at)) return 'An override has a time.'
  return findReasonProblem('blocked', reason)?.message ?? null
}

function exitWords(exitCode: number | null): string {
  return exitCode === null ? 'it did not come to its end' : `it exited with ${exitCode}`
}

function isSame(a: NamedPerson, b: NamedPerson): boolean {
  return a.id === b.id && a.name === b.name
}

/** Whatever it is: evidence may come from a row that something else wrote. */
function isNamed(person: NamedPerson | null | undefined): boolean {
  return [person?.id, person?.name].every((text) => typeof text === 'string' && text.trim() !== '')
}

function isSha256(text: unknown): boolean {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}

function isInside(path: unknown): boolean {
  if (typeof path !== 'string' || path === '' || path.length > 4096 || path.includes('\0')) return false
  return !/^(?:[/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..')
}
