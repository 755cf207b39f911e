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
import { type BoardActor, namedPerson } from './board-actor.ts'
import { type BoardDependencies, changeBoard, lockTask, requestInvalid, wantTask } from './board-change.ts'

/** What the host has seen. `at` is when it was so, not when it was written. */
export type SeenEvidence =
  | { readonly kind: 'check'; readonly command: string; readonly exitCode: number | null; readonly at?: number }
  | { readonly kind: 'diff'; readonly sha256: string; readonly at?: number }
  | { readonly kind: 'artefact'; readonly sha256: string; readonly path: string; readonly at?: number }

const HOST = { kind: 'host' } as const

/** Keeps what the host has seen of a task. Throws `evidence_refused` for what is none. */
export async function addEvidence(
  board: BoardDependencies,
  taskId: string,
  seen: SeenEvidence,
  executionId: string | null = null,
): Promise<Evidence> {
  const { teamId } = await wantTask(board.store, taskId, HOST)
  return changeBoard(board, { action: 'task.evidence', teamId, taskId, by: HOST }, async (tx) => {
    const task = await lockTask(tx, taskId)
    if (executionId !== null) await refusePassedAttempt(tx, task, executionId)
    const now = (board.now ?? Date.now)()
    // Nothing was seen in the future: such a time would outlive changes that are still to come.
    const evidence: Evidence = { ...seen, id: sortableId(now), taskId, at: Math.min(seen.at ?? now, now) }
    const problem = findEvidenceProblem(evidence, { kind: 'host', id: 'server', name: 'server' })
    if (problem !== null) throw new ClawbooError('evidence_refused', problem, { details: { taskId } })
    await tx.taskEvidence.insert(evidence, executionId)
    const saved = await tx.tasks.save({ ...task, updatedAt: now })
    return { result: evidence, tasks: [saved], line: evidenceLine(saved, evidence), detail: evidence }
  })
}

/** What an attempt shows after somebody took the task back or claimed it anew says nothing of the work since. */
async function refusePassedAttempt(tx: Repositories, task: BoardTask, executionId: string): Promise<void> {
  const execution = await tx.executions.get(executionId)
  const isNewest = execution?.taskId === task.id && execution.attempt === task.attempts
  if (isNewest && !(execution.state === 'lost' && execution.lostAt === null)) return
  throw new ClawbooError('evidence_refused', 'the attempt is not the task’s newest, or was taken back', {
    details: { taskId: task.id, executionId },
  })
}

/** The work changed at `at`: what was shown before does not count any more. */
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

/** A time behind everything that was shown so far, whatever the clocks of those who wrote it. */
export async function raiseChangedAt(tx: Repositories, task: BoardTask, at: number): Promise<number> {
  const shown = (await tx.taskEvidence.list(task.id)).map((evidence) => evidence.at + 1)
  return Math.max(at, task.changedAt ?? at, ...shown)
}

/** Writes a person's sign-off. Throws `evidence_refused` for anybody else. */
export async function writeSignOff(tx: Repositories, task: BoardTask, by: BoardActor, at: number): Promise<Evidence> {
  const person = namedPerson(by)
  if (!person)
    throw new ClawbooError('evidence_refused', 'only a person signs a task off', { details: { taskId: task.id } })
  const newest = Math.max(at, task.changedAt ?? at, ...(await tx.taskEvidence.list(task.id)).map((known) => known.at))
  const signOff: Evidence = { id: sortableId(at), taskId: task.id, kind: 'sign-off', person, at: newest }
  const problem = findEvidenceProblem(signOff, { kind: 'person', ...person })
  if (problem !== null) throw new ClawbooError('evidence_refused', problem, { details: { taskId: task.id } })
  await tx.taskEvidence.insert(signOff, null)
  return signOff
}

/**
 * Throws what `judgeDone` refuses. An override is kept; resolves to what it overrode, for the line and the audit, or null
 * when evidence was enough.
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
