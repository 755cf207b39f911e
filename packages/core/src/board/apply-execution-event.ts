import type { Execution, ExecutionEvent, ExecutionReport } from './execution.ts'
import { judgeReport } from './judge-report.ts'
import type { Task } from './task.ts'

/** A task and all its attempts, the first one first. */
export interface ExecutionBoard {
  readonly task: Task
  readonly executions: readonly Execution[]
}

/**
 * Applies a fact about an attempt to the board. Facts may arrive late, repeatedly and in any order, except that an
 * attempt's claim comes first: the resulting board is the same. The newest attempt decides, and its report decides for
 * it. A fact without effect returns the same object.
 *
 * `claimed` is a claim that was won: the writer has checked `judgeTransition` in the same transaction.
 */
export function applyExecutionEvent(board: ExecutionBoard, event: ExecutionEvent): ExecutionBoard {
  if (event.type === 'claimed') return claim(board, event)
  if (event.type === 'reported') return report(board, event.report)
  const execution = board.executions.find(({ id }) => id === event.executionId)
  if (!execution || execution.attempt !== event.attempt) return board
  if (event.type === 'renewed') {
    if (!Number.isFinite(event.leaseUntil) || event.leaseUntil <= execution.leaseUntil) return board
    return withExecution(board, { ...execution, leaseUntil: event.leaseUntil })
  }
  if (!Number.isFinite(event.at) || (execution.lostAt !== null && execution.lostAt <= event.at)) return board
  const next = withExecution(board, { ...execution, lostAt: event.at })
  const { task } = board
  const frees = task.status === 'in_progress' && task.attempts === execution.attempt
  return frees ? { ...next, task: { ...task, status: 'todo' } } : next
}

function claim(board: ExecutionBoard, event: Extract<ExecutionEvent, { type: 'claimed' }>): ExecutionBoard {
  const { task, executions } = board
  const { executionId: id, taskId, attempt, agentId, at, leaseUntil } = event
  const isSound = Number.isSafeInteger(attempt) && attempt > 0 && Number.isFinite(at) && Number.isFinite(leaseUntil)
  if (!isSound || taskId !== task.id) return board
  // The first attempt with a number keeps it.
  if (executions.some((known) => known.id === id || known.attempt === attempt)) return board
  const execution: Execution = { id, taskId, attempt, agentId, startedAt: at, leaseUntil, lostAt: null, report: null }
  const next = {
    task: { ...task, startedAt: Math.min(task.startedAt ?? at, at) },
    executions: [...executions, execution].toSorted((a, b) => a.attempt - b.attempt),
  }
  if (attempt <= task.attempts) return next
  const started: Task = { ...next.task, attempts: attempt }
  // Only a person causes these statuses, so no claim can have been won since.
  if (task.status === 'done' || task.status === 'cancelled' || task.status === 'backlog')
    return { ...next, task: started }
  return { ...next, task: { ...started, status: 'in_progress', reason: null, failedAt: null, endedAt: null } }
}

function report(board: ExecutionBoard, said: ExecutionReport): ExecutionBoard {
  const execution = board.executions.find(({ id }) => id === said.executionId) ?? null
  const verdict = judgeReport(board.task, execution, said)
  if (!execution || verdict.verdict === 'repeated' || (verdict.verdict === 'stale' && !verdict.kept)) return board
  const next = withExecution(board, { ...execution, report: said })
  const task = { ...next.task, costUsd: sumCost(next.executions) }
  return { ...next, task: verdict.verdict === 'accepted' ? moved(task, said) : task }
}

function moved(task: Task, { outcome, reason, at }: ExecutionReport): Task {
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

function sumCost(executions: readonly Execution[]): number | null {
  const known = executions.flatMap((execution) => execution.report?.costUsd ?? [])
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0)
}

function withExecution(board: ExecutionBoard, execution: Execution): ExecutionBoard {
  return { ...board, executions: board.executions.map((known) => (known.id === execution.id ? execution : known)) }
}
