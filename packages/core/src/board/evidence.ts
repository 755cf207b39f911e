import { findReasonProblem, type Task } from './task.ts'

/** What the host observed about a task's work. An agent's claim is not evidence. */
export type Evidence = { readonly id: string; readonly taskId: string; readonly at: number } & (
  | CheckEvidence
  /** The work as a diff against the project. */
  | { readonly kind: 'diff'; readonly sha256: string }
  | { readonly kind: 'artefact'; readonly sha256: string; readonly path: string }
  | { readonly kind: 'sign-off'; readonly person: NamedPerson }
)

/** The team's check command, run in the task's worktree. */
export interface CheckEvidence {
  readonly kind: 'check'
  readonly command: string
  /** null when it was ended before it could exit. */
  readonly exitCode: number | null
}

export type EvidenceKind = Evidence['kind']

export const EVIDENCE_KINDS = ['check', 'diff', 'artefact', 'sign-off'] as const satisfies readonly EvidenceKind[]

/** The operator or a person, by a name that people know. */
export interface NamedPerson {
  readonly id: string
  readonly name: string
}

/** A person's decision that a task is done without evidence. */
export interface DoneOverride {
  readonly by: { readonly kind: 'person' | 'agent' | 'host' } & NamedPerson
  readonly reason: string
  readonly at: number
}

export type EvidenceLack = 'evidence_missing' | 'evidence_stale' | 'check_failed'

export type DoneVerdict =
  | { readonly ok: true; readonly evidence: Evidence; readonly override: null }
  /** Done by an override. The task stores the override and the missing evidence. */
  | { readonly ok: true; readonly evidence: null; readonly override: DoneOverride & { readonly lack: EvidenceLack } }
  | { readonly ok: false; readonly code: EvidenceLack | 'override_refused'; readonly message: string }

/**
 * Decides whether a task may become done. A sign-off counts most, then the newest check. A diff or an artefact counts
 * only for a task that was never checked, so that nothing weaker can replace a failed or outdated check.
 */
export function judgeDone(claim: {
  readonly task: Pick<Task, 'id' | 'changedAt'>
  readonly evidence: readonly Evidence[]
  readonly override: DoneOverride | null
}): DoneVerdict {
  const found = weigh(claim.task, claim.evidence)
  if ('evidence' in found) return { ok: true, evidence: found.evidence, override: null }
  const { override } = claim
  if (!override) return { ok: false, code: found.lack, message: found.message }
  const problem = overrideProblem(override)
  if (problem !== null) return { ok: false, code: 'override_refused', message: problem }
  return { ok: true, evidence: null, override: { ...override, lack: found.lack } }
}

/** Returns the problem with a piece of evidence before it is written, or null. */
export function findEvidenceProblem(evidence: Evidence, by: DoneOverride['by']): string | null {
  if (by.kind === 'agent') return 'An agent cannot write evidence.'
  if (!Number.isFinite(evidence.at)) return 'Evidence needs a time.'
  switch (evidence.kind) {
    case 'sign-off':
      return by.kind === 'person' && isNamed(evidence.person) && isSame(by, evidence.person)
        ? null
        : 'A sign-off must name the person who gives it.'
    case 'check':
      if (by.kind !== 'host') return HOST_ONLY
      return evidence.exitCode === null || Number.isSafeInteger(evidence.exitCode)
        ? null
        : 'An exit code must be a number.'
    case 'diff':
      if (by.kind !== 'host') return HOST_ONLY
      return isSha256(evidence.sha256) ? null : NO_HASH
    case 'artefact':
      if (by.kind !== 'host') return HOST_ONLY
      if (!isSha256(evidence.sha256)) return NO_HASH
      return isInside(evidence.path) ? null : 'An artefact needs a path within the task’s folder.'
    default:
      return 'This kind of evidence does not exist.'
  }
}

const HOST_ONLY = 'Only the host can write its own observations.'
const NO_HASH = 'A hash must have 64 hexadecimal digits.'

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

/** A failed check comes before a successful one of the same time, so that it is not hidden. */
function newestFirst(a: Evidence, b: Evidence): number {
  if (a.at !== b.at) return b.at - a.at
  const rank = (evidence: Evidence) => (evidence.kind === 'check' && evidence.exitCode !== 0 ? 0 : 1)
  return rank(a) - rank(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function overrideProblem({ by, reason, at }: DoneOverride): string | null {
  if (by.kind !== 'person') return 'Only a person can mark a task done without evidence.'
  if (!isNamed(by)) return 'An override must name its person.'
  if (!Number.isFinite(at)) return 'An override needs a time.'
  return findReasonProblem('blocked', reason)?.message ?? null
}

function exitWords(exitCode: number | null): string {
  return exitCode === null ? 'it did not finish' : `it exited with ${exitCode}`
}

function isSame(a: NamedPerson, b: NamedPerson): boolean {
  return a.id === b.id && a.name === b.name
}

/** Accepts any value: evidence may come from a row that another program wrote. */
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
