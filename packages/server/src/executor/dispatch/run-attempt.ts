import type { ExecutionReport } from '@clawboo/core/board'
import type { StoredExecution } from '../../store/repositories/board/executions-repository.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import { gatherEvidence } from './gather-evidence.ts'
import { type AttemptWorkplace, type OpenedWorkplace, openWorkplace } from './open-workplace.ts'
import { type AttemptOutcome, interruption, outcomeOf, stoppedOutcome } from './report-of.ts'
import { runTask, type TaskAttempt } from './run-task.ts'
import type { TaskBrief } from './task-prompt.ts'

interface Ended extends AttemptOutcome {
  readonly costUsd: number | null
}

const COMMENTS = 200
/** A report is what must not get lost: the store may come back. */
const REPORT_RETRIES_MS = [200, 1_000, 5_000]

export interface AttemptSteps {
  /** The agent is no longer needed; the host's own look at the work may take longer. */
  free(): void
  /** Nobody is in the files any more. Before the report: once that is in, the work may be reviewed. */
  leave(): void
}

/** One attempt at a task that was claimed, to its report. Never rejects. */
export async function runAttempt(
  parts: DispatchParts,
  work: TaskAttempt,
  { free, leave }: AttemptSteps,
): Promise<void> {
  const { log, onStep } = parts
  const { execution } = work
  const ended = await attempt(parts, work, free).catch((error: unknown): Ended => {
    log.error('an attempt at a task broke off', { executionId: execution.id, error })
    const reason = `It broke off: ${messageOf(error)}`
    return { outcome: 'released', reason, costUsd: null, ...interruption(work.control.cause) }
  })
  free()
  leave()
  onStep?.('report')
  await submit(parts, execution, ended)
  onStep?.('over')
}

async function attempt(parts: DispatchParts, work: TaskAttempt, free: () => void): Promise<Ended> {
  const { store, claims, onStep } = parts
  const { task, execution, runtime, control } = work
  const all = await store.executions.ofTasks([task.id])
  const earlier = all.filter(({ attempt }) => attempt < execution.attempt)
  onStep?.('workplace')
  const opened = await openWorkplace(parts, task, execution.attempt, earlier, runtime.descriptor.claims)
  if (!opened.ok) return { outcome: 'blocked', reason: opened.reason, costUsd: null }
  onStep?.('note-workplace')
  if (opened.workplace) await claims.note(execution.id, { worktree: worktreeOf(opened.workplace) })
  const brief = await readBrief(parts, work, earlier, opened)
  if (control.cause !== null) return { ...stoppedOutcome(control.cause), costUsd: null }
  const ended = await runTask(parts, work, brief, opened.workplace)
  free()
  const outcome = outcomeOf(ended.end, { verdict: ended.verdict, cause: control.cause })
  await lookAtWork(parts, work, opened, outcome)
  return { ...outcome, costUsd: ended.costUsd }
}

/** Before the report: when the task is in review, what shows that it is done is there. */
async function lookAtWork(
  parts: DispatchParts,
  { task, execution, control }: TaskAttempt,
  { workplace: place, checkCommand }: Extract<OpenedWorkplace, { ok: true }>,
  { outcome }: AttemptOutcome,
): Promise<void> {
  if (!place) return
  parts.onStep?.('evidence')
  const { workplace } = place
  // A server that stops has no time for a check, and without it a difference shows too little.
  const isJudged = outcome === 'completed' && control.cause !== 'server_stopping'
  const seen = { taskId: task.id, executionId: execution.id, workplace, signal: control.signal }
  await gatherEvidence(parts, { ...seen, isJudged, checkCommand }).catch((error: unknown) =>
    // The work is there all the same, and a person can have it checked again.
    parts.log.error('the work of a task was not looked at', { taskId: task.id, error }),
  )
}

async function readBrief(
  { store }: DispatchParts,
  { task, execution, agent }: TaskAttempt,
  earlier: readonly StoredExecution[],
  { workplace, checkCommand }: Extract<OpenedWorkplace, { ok: true }>,
): Promise<Omit<TaskBrief, 'canReport'>> {
  const last = earlier.at(-1)
  const comments = await store.taskComments.list(task.id, COMMENTS)
  const isNews = ({ createdAt, author }: (typeof comments)[number]) =>
    (!last || createdAt >= last.startedAt) && !(author.kind === 'agent' && author.id === agent.id)
  const said = last?.runId ? ((await store.runs.get(last.runId))?.text ?? '') : ''
  return {
    task,
    attempt: execution.attempt,
    previous: last ? { attempt: last.attempt, state: last.state, reason: last.reason, said } : null,
    comments: comments.filter(isNews),
    workplace: workplace && { isResumed: workplace.isResumed, notes: workplace.workplace.notes },
    checkCommand,
  }
}

async function submit(
  { reports, log, now = Date.now }: DispatchParts,
  { id: executionId, attempt }: StoredExecution,
  ended: Ended,
): Promise<void> {
  const report: ExecutionReport = { executionId, attempt, ...ended, at: now() }
  for (const wait of [...REPORT_RETRIES_MS, null]) {
    try {
      const verdict = await reports.submit(report)
      if (verdict.verdict === 'stale') log.info('a report changed nothing', { executionId, code: verdict.code })
      return
    } catch (error) {
      log.error('a report was not kept', { executionId, error })
      if (wait === null) return
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

function worktreeOf({ workplace }: AttemptWorkplace) {
  const branch = workplace.kind === 'worktree' ? workplace.branch : null
  return { path: workplace.folder, branch, base: workplace.base }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
