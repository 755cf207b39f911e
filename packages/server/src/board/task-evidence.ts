import { ClawbooError } from '@clawboo/core'
import {
  type BoardTask,
  type Evidence,
  findEvidenceProblem,
  judgeDone,
  quoteTitle,
  TASK_REASON_CHARACTERS,
} from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import { sortableId } from '../store/sortable-id.ts'
import {
  type BoardActor,
  type BoardDependencies,
  changeBoard,
  lockTask,
  namedPerson,
  requestInvalid,
  wantTask,
} from './board-change.ts'

/** Evidence that the host observed. `at` is the time of the observation, not of the write. */
export type SeenEvidence =
  | { readonly kind: 'check'; readonly command: string; readonly exitCode: number | null; readonly at?: number }
  | { readonly kind: 'diff'; readonly sha256: string; readonly at?: number }
  | { readonly kind: 'artefact'; readonly sha256: string; readonly path: string; readonly at?: number }

const HOST = { kind: 'host' } as const

/** Stores evidence that the host observed. Throws `evidence_refused` for invalid evidence. */
export async function addEvidence(
  board: BoardDependencies,
  taskId: string,
  seen: SeenEvidence,
  attemptId: string | null = null,
): Promise<Evidence> {
  const { teamId } = await wantTask(board.store, taskId, HOST)
  return changeBoard(board, { action: 'task.evidence', teamId, taskId, by: HOST }, async (tx) => {
    const task = await lockTask(tx, taskId)
    if (attemptId !== null) await refusePassedAttempt(tx, task, attemptId)
    const now = (board.now ?? Date.now)()
    // Limits the time to now: evidence from the future would survive later changes.
    const evidence: Evidence = { ...seen, id: sortableId(now), taskId, at: Math.min(seen.at ?? now, now) }
    const problem = findEvidenceProblem(evidence, { kind: 'host', id: 'server', name: 'server' })
    if (problem !== null) throw new ClawbooError('evidence_refused', problem, { details: { taskId } })
    await tx.taskEvidence.insert(evidence, attemptId)
    const saved = await tx.tasks.save({ ...task, updatedAt: now })
    return { result: evidence, tasks: [saved], line: evidenceLine(saved, evidence), detail: evidence }
  })
}

/** An attempt that was taken back or replaced is no evidence for the later work. */
async function refusePassedAttempt(tx: Repositories, task: BoardTask, attemptId: string): Promise<void> {
  const attempt = await tx.attempts.get(attemptId)
  const isNewest = attempt?.taskId === task.id && attempt.number === task.attempts
  if (isNewest && !(attempt.state === 'lost' && attempt.lostAt === null)) return
  throw new ClawbooError('evidence_refused', 'the attempt is not the newest one of the task, or was taken back', {
    details: { taskId: task.id, attemptId },
  })
}

/** Records that the work changed at `at`: earlier evidence no longer counts. */
export async function noteChange(board: BoardDependencies, taskId: string, at: number): Promise<BoardTask> {
  if (!Number.isSafeInteger(at)) throw new TypeError(`not a time: ${at}`)
  const { teamId } = await wantTask(board.store, taskId, HOST)
  return changeBoard(board, { action: 'task.changed', teamId, taskId, by: HOST }, async (tx) => {
    const task = await lockTask(tx, taskId)
    if (task.changedAt !== null && task.changedAt >= at) return { result: task, tasks: [], line: '' }
    const saved = await tx.tasks.save({ ...task, changedAt: at, updatedAt: (board.now ?? Date.now)() })
    return { result: saved, tasks: [saved], line: `The work on ${quoteTitle(task.title)} changed`, detail: { at } }
  })
}

/** Returns a time after all evidence so far, whatever the clocks of its writers. */
export async function raiseChangedAt(tx: Repositories, task: BoardTask, at: number): Promise<number> {
  const shown = (await tx.taskEvidence.list(task.id)).map((evidence) => evidence.at + 1)
  return Math.max(at, task.changedAt ?? at, ...shown)
}

/** Writes a person's sign-off. Throws `evidence_refused` for anyone else. */
export async function writeSignOff(tx: Repositories, task: BoardTask, by: BoardActor, at: number): Promise<Evidence> {
  const person = namedPerson(by)
  if (!person)
    throw new ClawbooError('evidence_refused', 'only a person can approve a task', { details: { taskId: task.id } })
  const newest = Math.max(at, task.changedAt ?? at, ...(await tx.taskEvidence.list(task.id)).map((known) => known.at))
  const signOff: Evidence = { id: sortableId(at), taskId: task.id, kind: 'sign-off', person, at: newest }
  const problem = findEvidenceProblem(signOff, { kind: 'person', ...person })
  if (problem !== null) throw new ClawbooError('evidence_refused', problem, { details: { taskId: task.id } })
  await tx.taskEvidence.insert(signOff, null)
  return signOff
}

/**
 * Throws the refusals of `judgeDone`. Stores an override. Resolves to the problem that was overridden, for the room
 * line and the audit log, or to null when the evidence was sufficient.
 */
export async function demandDone(
  tx: Repositories,
  task: BoardTask,
  by: BoardActor,
  overrideReason: string | null,
  at: number,
): Promise<string | null> {
  const evidence = await tx.taskEvidence.list(task.id)
  if (overrideReason !== null && overrideReason.length > TASK_REASON_CHARACTERS)
    throw requestInvalid('reason', `The reason has more than ${TASK_REASON_CHARACTERS} characters.`)
  const person = namedPerson(by)
  const who = person
    ? { kind: 'person' as const, ...person }
    : { kind: by.kind === 'agent' ? ('agent' as const) : ('host' as const), id: 'server', name: 'server' }
  const override = overrideReason === null ? null : { by: who, reason: overrideReason, at }
  const verdict = judgeDone({ task, evidence, override })
  if (!verdict.ok) throw new ClawbooError(verdict.code, verdict.message, { details: { taskId: task.id } })
  if (!verdict.override) return null
  await tx.taskEvidence.insertOverride(task.id, { ...verdict.override, id: sortableId(at) })
  return verdict.override.lack
}

function evidenceLine({ title }: BoardTask, evidence: Evidence): string {
  const task = quoteTitle(title)
  if (evidence.kind === 'check')
    return evidence.exitCode === 0 ? `The check of ${task} passed` : `The check of ${task} failed`
  return `${task} has new evidence`
}
