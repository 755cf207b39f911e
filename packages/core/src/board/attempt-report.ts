import { ATTEMPT_OUTCOMES, type Attempt, type AttemptReport } from './attempt.ts'
import type { Task } from './task.ts'

export type ReportVerdict =
  /** It moves the task. */
  | { readonly verdict: 'accepted' }
  /** It was already applied. */
  | { readonly verdict: 'repeated' }
  /** It does not move the task. `kept`: its cost and text are still stored with the attempt. */
  | { readonly verdict: 'stale'; readonly code: StaleReport; readonly reason: string; readonly kept: boolean }

export type StaleReport =
  | 'malformed'
  | 'unknown_attempt'
  | 'other_attempt'
  | 'already_reported'
  | 'superseded'
  | 'task_moved_on'

/**
 * Decides whether a report still counts for its task. An expired lease does not make it stale unless another attempt
 * has claimed the task: finished work is never discarded.
 */
export function judgeReport(
  task: Pick<Task, 'id' | 'status' | 'attempts'>,
  attempt: Attempt | null,
  report: AttemptReport,
): ReportVerdict {
  if (!isReport(report)) return stale('malformed', 'The report is invalid.')
  if (!attempt || attempt.id !== report.attemptId || attempt.taskId !== task.id)
    return stale('unknown_attempt', 'This attempt at the task is unknown.')
  if (attempt.number !== report.attempt)
    return stale('other_attempt', `The report is of attempt ${report.attempt}, but this is attempt ${attempt.number}.`)
  if (attempt.report) {
    if (attempt.report.outcome === report.outcome) return { verdict: 'repeated' }
    return stale('already_reported', `The attempt has already ended as ${attempt.report.outcome}.`)
  }
  if (attempt.number !== task.attempts) {
    const reason = `Attempt ${attempt.number} was lost, and the task is at attempt ${task.attempts}.`
    return stale('superseded', reason, true)
  }
  const isOpen = task.status === 'in_progress' || (task.status === 'todo' && attempt.lostAt !== null)
  if (!isOpen) return stale('task_moved_on', 'The task was moved while the attempt was running.', true)
  return { verdict: 'accepted' }
}

function isReport(report: AttemptReport): boolean {
  return (
    (ATTEMPT_OUTCOMES as readonly string[]).includes(report.outcome) &&
    Number.isFinite(report.at) &&
    (report.costUsd === null || (Number.isFinite(report.costUsd) && report.costUsd >= 0))
  )
}

function stale(code: StaleReport, reason: string, kept = false): ReportVerdict {
  return { verdict: 'stale', code, reason, kept }
}

/** A task and all its attempts, the first one first. */
export interface AttemptBoard {
  readonly task: Task
  readonly attempts: readonly Attempt[]
}

/**
 * Applies a report to the board. Reports may arrive late, repeatedly and in any order: the resulting board is the same.
 * Only the newest attempt moves the task. Returns the same object if the report has no effect.
 */
export function applyAttemptReport(board: AttemptBoard, report: AttemptReport): AttemptBoard {
  const attempt = board.attempts.find(({ id }) => id === report.attemptId) ?? null
  const verdict = judgeReport(board.task, attempt, report)
  if (!attempt || verdict.verdict === 'repeated' || (verdict.verdict === 'stale' && !verdict.kept)) return board
  const attempts = board.attempts.map((known) => (known.id === attempt.id ? { ...attempt, report } : known))
  const task = { ...board.task, costUsd: sumCost(attempts) }
  return { attempts, task: verdict.verdict === 'accepted' ? moved(task, report) : task }
}

function moved(task: Task, { outcome, reason, at }: AttemptReport): Task {
  switch (outcome) {
    case 'completed':
      return { ...task, status: 'in_review', reason: null }
    case 'released':
      return { ...task, status: 'todo', reason: null }
    case 'blocked':
      return { ...task, status: 'blocked', reason: reason ?? 'The agent gave no reason.' }
    case 'failed':
      return { ...task, status: 'blocked', failedAt: at, reason: reason ?? 'It failed without a reason.' }
  }
}

function sumCost(attempts: readonly Attempt[]): number | null {
  const known = attempts.flatMap((attempt) => attempt.report?.costUsd ?? [])
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0)
}
