import type { Attempt, AttemptEvent, AttemptReport } from './attempt.ts'
import { judgeReport } from './judge-report.ts'
import type { Task } from './task.ts'

/** A task and all its attempts, the first one first. */
export interface AttemptBoard {
  readonly task: Task
  readonly attempts: readonly Attempt[]
}

/**
 * Applies a fact about an attempt to the board. Facts may arrive late, repeatedly and in any order, except that an
 * attempt's claim comes first: the resulting board is the same. The newest attempt decides, and its report decides for
 * it. A fact without effect returns the same object.
 *
 * `claimed` is a claim that was won: the writer has checked `judgeTransition` in the same transaction.
 */
export function applyAttemptEvent(board: AttemptBoard, event: AttemptEvent): AttemptBoard {
  if (event.type === 'claimed') return claim(board, event)
  if (event.type === 'reported') return report(board, event.report)
  const attempt = board.attempts.find(({ id }) => id === event.attemptId)
  if (!attempt || attempt.number !== event.attempt) return board
  if (event.type === 'renewed') {
    if (!Number.isFinite(event.leaseUntil) || event.leaseUntil <= attempt.leaseUntil) return board
    return withAttempt(board, { ...attempt, leaseUntil: event.leaseUntil })
  }
  if (!Number.isFinite(event.at) || (attempt.lostAt !== null && attempt.lostAt <= event.at)) return board
  const next = withAttempt(board, { ...attempt, lostAt: event.at })
  const { task } = board
  const frees = task.status === 'in_progress' && task.attempts === attempt.number
  return frees ? { ...next, task: { ...task, status: 'todo' } } : next
}

function claim(board: AttemptBoard, event: Extract<AttemptEvent, { type: 'claimed' }>): AttemptBoard {
  const { task, attempts } = board
  const { attemptId: id, taskId, attempt: number, agentId, at, leaseUntil } = event
  const isSound = Number.isSafeInteger(number) && number > 0 && Number.isFinite(at) && Number.isFinite(leaseUntil)
  if (!isSound || taskId !== task.id) return board
  // The first attempt with a number keeps it.
  if (attempts.some((known) => known.id === id || known.number === number)) return board
  const attempt: Attempt = { id, taskId, number, agentId, startedAt: at, leaseUntil, lostAt: null, report: null }
  const next = {
    task: { ...task, startedAt: Math.min(task.startedAt ?? at, at) },
    attempts: [...attempts, attempt].toSorted((a, b) => a.number - b.number),
  }
  if (number <= task.attempts) return next
  const started: Task = { ...next.task, attempts: number }
  // Only a person causes these statuses, so no claim can have been won since.
  if (task.status === 'done' || task.status === 'cancelled' || task.status === 'backlog')
    return { ...next, task: started }
  return { ...next, task: { ...started, status: 'in_progress', reason: null, failedAt: null, endedAt: null } }
}

function report(board: AttemptBoard, sent: AttemptReport): AttemptBoard {
  const attempt = board.attempts.find(({ id }) => id === sent.attemptId) ?? null
  const verdict = judgeReport(board.task, attempt, sent)
  if (!attempt || verdict.verdict === 'repeated' || (verdict.verdict === 'stale' && !verdict.kept)) return board
  const next = withAttempt(board, { ...attempt, report: sent })
  const task = { ...next.task, costUsd: sumCost(next.attempts) }
  return { ...next, task: verdict.verdict === 'accepted' ? moved(task, sent) : task }
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

function withAttempt(board: AttemptBoard, attempt: Attempt): AttemptBoard {
  return { ...board, attempts: board.attempts.map((known) => (known.id === attempt.id ? attempt : known)) }
}
