import {
  applyExecutionEvent,
  type BoardTask,
  type ExecutionReport,
  judgeReport,
  plainWords,
  quoteTitle,
  type ReportVerdict,
  STATUS_WORDS,
  TASK_REASON_CHARACTERS,
} from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import type { StoredExecution } from '../store/repositories/board/executions-repository.ts'
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
  write(report: ExecutionReport): Promise<ReportVerdict | null>
  /** Stores and applies a report. */
  submit(report: ExecutionReport): Promise<ReportVerdict>
  /** Applies the reports that a server stored but did not apply. Resolves to their number. */
  applyUnread(): Promise<number>
}

const HOST = { kind: 'host' } as const
const PAGE = 100

export function createReports(board: BoardDependencies): Reports {
  const { store } = board
  const write: Reports['write'] = async (rawReport) => {
    const report = { ...rawReport, reason: readable(rawReport.reason) }
    const execution = await store.executions.get(report.executionId)
    const task = execution && (await store.tasks.get(execution.taskId))
    if (!task) return UNKNOWN_EXECUTION
    // Checks only what cannot change later: the task may move until the report is applied.
    const verdict = judgeReport(task, { ...execution, report: null }, report)
    if (verdict.verdict === 'stale' && !verdict.kept) return verdict
    const isNew = await store.transaction(async (tx) => {
      await lockTask(tx, task.id)
      const inserted = await tx.taskReports.insert(task.id, report, (board.now ?? Date.now)())
      if (inserted) await tx.tasks.addUnreadReports(task.id, 1)
      return inserted
    })
    if (isNew) return null
    const first = (await store.taskReports.get(report.executionId))!
    return judgeReport(task, { ...execution, report: first.report }, report)
  }
  const apply = async (executionId: string): Promise<ReportVerdict> => {
    const execution = await store.executions.get(executionId)
    const task = execution && (await store.tasks.get(execution.taskId))
    if (!task) return UNKNOWN_EXECUTION
    const about = { action: 'task.report', teamId: task.teamId, taskId: task.id, by: HOST }
    return changeBoard(board, about, (tx) => applyReport(tx, executionId, (board.now ?? Date.now)()))
  }
  return {
    write,
    async submit(report) {
      const refused = await write(report)
      if (refused && refused.verdict === 'stale') return refused
      const applied = await apply(report.executionId)
      return refused ?? applied
    },
    async applyUnread() {
      let count = 0
      for (;;) {
        const unread = await store.taskReports.unread(PAGE)
        for (const executionId of unread) await apply(executionId)
        count += unread.length
        if (unread.length < PAGE) return count
      }
    },
  }
}

/** Also for an attempt of a team that was deleted meanwhile. */
const UNKNOWN_EXECUTION = {
  verdict: 'stale',
  code: 'unknown_execution',
  reason: 'This attempt at the task is unknown.',
  kept: false,
} as const satisfies ReportVerdict

/**
 * Applies an attempt's stored report to its task. Does nothing when it is already applied. Requires the team's lock.
 */
export async function applyReport(
  tx: Repositories,
  executionId: string,
  at: number,
): Promise<BoardChange<ReportVerdict>> {
  const stored = await tx.taskReports.get(executionId)
  if (!stored) return { result: UNKNOWN_EXECUTION, tasks: [], line: '' }
  const task = await lockTask(tx, stored.taskId)
  const executions = await tx.executions.ofTasks([task.id])
  const execution = executions.find(({ id }) => id === executionId)!
  if (stored.appliedAt !== null) return { result: stored.verdict ?? { verdict: 'repeated' }, tasks: [], line: '' }
  const verdict = judgeReport(task, execution, stored.report)
  await tx.taskReports.markApplied(executionId, verdict, at)
  await tx.tasks.addUnreadReports(task.id, -1)
  const { outcome, reason, costUsd } = stored.report
  await tx.executions.report(executionId, { outcome, reason, costUsd, at: stored.report.at })
  const next = applyExecutionEvent({ task, executions }, { type: 'reported', report: stored.report })
  const saved = await saveReported(tx, task, next.task as BoardTask, execution, at)
  const followers = await settleDependents(tx, task, saved, at)
  return {
    result: verdict,
    tasks: [saved, ...followers],
    line: lineOf(task, saved, verdict, followers),
    detail: { executionId, attempt: execution.attempt, outcome, verdict, from: task.status, to: saved.status },
  }
}

function saveReported(
  tx: Repositories,
  before: BoardTask,
  after: BoardTask,
  execution: StoredExecution,
  at: number,
): Promise<BoardTask> {
  const hasMoved = before.status !== after.status
  const executionId = after.status === 'in_progress' && before.executionId !== execution.id ? before.executionId : null
  const position = hasMoved ? lastPlace(at) : before.position
  return tx.tasks.save({ ...after, executionId, position, updatedAt: at })
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
