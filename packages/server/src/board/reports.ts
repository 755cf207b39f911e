import {
  type AttemptReport,
  applyAttemptReport,
  type BoardTask,
  judgeReport,
  plainWords,
  quoteTitle,
  type ReportVerdict,
  STATUS_WORDS,
  TASK_REASON_CHARACTERS,
} from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import type { StoredAttempt } from '../store/repositories/board/attempts-repository.ts'
import { lastPlace } from '../store/repositories/board/tasks-repository.ts'
import { storableText } from '../store/storable-text.ts'
import { type BoardChange, type BoardDependencies, changeBoard, lockTask } from './board-change.ts'
import { settleDependents } from './dependents.ts'

/**
 * The ends of attempts. A report is stored first and applied afterwards: once `write` resolves it cannot be lost, and a
 * task with an unapplied report cannot be claimed.
 */
export interface Reports {
  /**
   * Stores a report without applying it. The first report of an attempt counts; unknown or invalid reports are not
   * stored.
   */
  write(report: AttemptReport): Promise<ReportVerdict | null>
  /** Stores and applies a report. */
  submit(report: AttemptReport): Promise<ReportVerdict>
  /** Applies the reports that a server stored but did not apply. Resolves to their number. */
  applyUnread(): Promise<number>
}

const HOST = { kind: 'host' } as const
const PAGE = 100

export function createReports(board: BoardDependencies): Reports {
  const { store } = board
  const write: Reports['write'] = async (rawReport) => {
    const report = { ...rawReport, reason: readable(rawReport.reason) }
    const attempt = await store.attempts.get(report.attemptId)
    const task = attempt && (await store.tasks.get(attempt.taskId))
    if (!task) return UNKNOWN_ATTEMPT
    // Checks only what cannot change later: the task may move until the report is applied.
    const verdict = judgeReport(task, { ...attempt, report: null }, report)
    if (verdict.verdict === 'stale' && !verdict.kept) return verdict
    const isNew = await store.transaction(async (tx) => {
      await lockTask(tx, task.id)
      const inserted = await tx.taskReports.insert(task.id, report, (board.now ?? Date.now)())
      if (inserted) await tx.tasks.addUnreadReports(task.id, 1)
      return inserted
    })
    if (isNew) return null
    const first = (await store.taskReports.get(report.attemptId))!
    return judgeReport(task, { ...attempt, report: first.report }, report)
  }
  const apply = async (attemptId: string): Promise<ReportVerdict> => {
    const attempt = await store.attempts.get(attemptId)
    const task = attempt && (await store.tasks.get(attempt.taskId))
    if (!task) return UNKNOWN_ATTEMPT
    const about = { action: 'task.report', teamId: task.teamId, taskId: task.id, by: HOST }
    return changeBoard(board, about, (tx) => applyReport(tx, attemptId, (board.now ?? Date.now)()))
  }
  return {
    write,
    async submit(report) {
      const refused = await write(report)
      if (refused && refused.verdict === 'stale') return refused
      const applied = await apply(report.attemptId)
      return refused ?? applied
    },
    async applyUnread() {
      let count = 0
      for (;;) {
        const unread = await store.taskReports.unread(PAGE)
        for (const attemptId of unread) await apply(attemptId)
        count += unread.length
        if (unread.length < PAGE) return count
      }
    },
  }
}

/** Also returned for an attempt whose team was deleted in the meantime. */
const UNKNOWN_ATTEMPT = {
  verdict: 'stale',
  code: 'unknown_attempt',
  reason: 'This attempt at the task is unknown.',
  kept: false,
} as const satisfies ReportVerdict

/**
 * Applies an attempt's stored report to its task. Does nothing when it is already applied. Requires the team's lock.
 */
export async function applyReport(
  tx: Repositories,
  attemptId: string,
  at: number,
): Promise<BoardChange<ReportVerdict>> {
  const stored = await tx.taskReports.get(attemptId)
  if (!stored) return { result: UNKNOWN_ATTEMPT, tasks: [], line: '' }
  const task = await lockTask(tx, stored.taskId)
  const attempts = await tx.attempts.ofTasks([task.id])
  const attempt = attempts.find(({ id }) => id === attemptId)!
  if (stored.appliedAt !== null) return { result: stored.verdict ?? { verdict: 'repeated' }, tasks: [], line: '' }
  const verdict = judgeReport(task, attempt, stored.report)
  await tx.taskReports.markApplied(attemptId, verdict, at)
  await tx.tasks.addUnreadReports(task.id, -1)
  const { outcome, reason, costUsd } = stored.report
  await tx.attempts.report(attemptId, { outcome, reason, costUsd, at: stored.report.at })
  const next = applyAttemptReport({ task, attempts }, stored.report)
  const saved = await saveReported(tx, task, next.task as BoardTask, attempt, at)
  const followers = await settleDependents(tx, task, saved, at)
  return {
    result: verdict,
    tasks: [saved, ...followers],
    line: lineOf(task, saved, verdict, followers),
    detail: { attemptId, attempt: attempt.number, outcome, verdict, from: task.status, to: saved.status },
  }
}

function saveReported(
  tx: Repositories,
  before: BoardTask,
  after: BoardTask,
  attempt: StoredAttempt,
  at: number,
): Promise<BoardTask> {
  const hasMoved = before.status !== after.status
  const attemptId = after.status === 'in_progress' && before.attemptId !== attempt.id ? before.attemptId : null
  const position = hasMoved ? lastPlace(at) : before.position
  return tx.tasks.save({ ...after, attemptId, position, updatedAt: at })
}

function lineOf(before: BoardTask, after: BoardTask, verdict: ReportVerdict, followers: readonly BoardTask[]): string {
  const title = quoteTitle(after.title)
  if (verdict.verdict === 'stale') return `A late report on ${title} changes nothing: ${verdict.reason}`
  if (before.status === after.status) return `${title} was returned to to do`
  const why = after.reason === null ? '' : `: ${plainWords(after.reason)}`
  const with_ = followers.length === 0 ? '' : `; ${followers.length} waiting tasks with it`
  return `${title} is ${STATUS_WORDS[after.status]}${why}${with_}`
}

function readable(reason: unknown): string | null {
  return typeof reason === 'string' && reason.trim() !== '' ? storableText(reason, TASK_REASON_CHARACTERS) : null
}
