import { EXECUTION_OUTCOMES, type Execution, type ExecutionReport } from './execution.ts'
import type { Task } from './task.ts'

export type ReportVerdict =
  /** It moves the task. */
  | { readonly verdict: 'accepted' }
  /** It was taken before. */
  | { readonly verdict: 'repeated' }
  /** It does not move the task. `kept`: what it cost and said is still written to its execution. */
  | { readonly verdict: 'stale'; readonly code: StaleReport; readonly reason: string; readonly kept: boolean }

export type StaleReport =
  | 'malformed'
  | 'unknown_execution'
  | 'other_attempt'
  | 'already_reported'
  | 'superseded'
  | 'task_moved_on'

/**
 * Whether a report still speaks for its task. A lease that ran out does not make it stale as long as nobody else has
 * claimed the task: work that was done is never thrown away.
 */
export function judgeReport(
  task: Pick<Task, 'id' | 'status' | 'attempts'>,
  execution: Execution | null,
  report: ExecutionReport,
): ReportVerdict {
  if (!isReport(report)) return stale('malformed', 'The report cannot be read.')
  if (!execution || execution.id !== report.executionId || execution.taskId !== task.id)
    return stale('unknown_execution', 'No such attempt at this task is known.')
  if (execution.attempt !== report.attempt)
    return stale('other_attempt', `The report is of attempt ${report.attempt}, the execution is ${execution.attempt}.`)
  if (execution.report) {
    if (execution.report.outcome === report.outcome) return { verdict: 'repeated' }
    return stale('already_reported', `The attempt has already ended as ${execution.report.outcome}.`)
  }
  if (execution.attempt !== task.attempts) {
    const reason = `Attempt ${execution.attempt} was lost, and the task is at attempt ${task.attempts}.`
    return stale('superseded', reason, true)
  }
  const isOpen = task.status === 'in_progress' || (task.status === 'todo' && execution.lostAt !== null)
  if (!isOpen) return stale('task_moved_on', 'The task was moved while the attempt went on.', true)
  return { verdict: 'accepted' }
}

function isReport(report: ExecutionReport): boolean {
  return (
    (EXECUTION_OUTCOMES as readonly string[]).includes(report.outcome) &&
    Number.isFinite(report.at) &&
    (report.costUsd === null || (Number.isFinite(report.costUsd) && report.costUsd >= 0))
  )
}

function stale(code: StaleReport, reason: string, kept = false): ReportVerdict {
  return { verdict: 'stale', code, reason, kept }
}
