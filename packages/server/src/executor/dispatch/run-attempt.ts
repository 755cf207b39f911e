import type { AttemptOutcome, AttemptReport, BoardTask } from '@clawboo/core/board'
import type { LazyRuntime, RunReason } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { RunVerdict } from '../../board/run-verdicts.ts'
import type { StoredAttempt } from '../../store/repositories/board/attempts-repository.ts'
import { endedByLimit, type RunEnding } from '../run/run-book.ts'
import type { RunControl, StopCause } from '../run/run-control.ts'
import type { OpenRun } from '../run/run-service.ts'
import { type AttemptWorktree, gatherEvidence, type OpenedWorktree, openWorktree } from './attempt-worktree.ts'
import type { DispatchServices } from './dispatch-services.ts'
import { type TaskBrief, taskPrompt } from './task-prompt.ts'

/** A claimed attempt at a task. */
export interface TaskAttempt {
  readonly task: BoardTask
  /** The attempt's row. */
  readonly stored: StoredAttempt
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly control: RunControl
}

export interface AttemptSteps {
  /** Call this when the agent is free again; the host may still check the work. */
  free(): void
  /** Call this when the attempt no longer uses the files, and before the report: after it, the work may be reviewed. */
  unlock(): void
}

interface EndedAttempt extends AttemptEnd {
  readonly costUsd: number | null
}

const COMMENTS = 200
/** The waits between the tries to store a report: a report must survive a short failure of the store. */
const REPORT_RETRIES_MS = [200, 1_000, 5_000]

/** The session key of an agent for a task; all attempts at the task continue one conversation. */
export function taskConversation(agentId: string, taskId: string): string {
  return `agent:${agentId}:task:${taskId}`
}

/** Runs a claimed attempt up to its report. Never rejects. */
export async function runAttempt(
  services: DispatchServices,
  attempt: TaskAttempt,
  { free, unlock }: AttemptSteps,
): Promise<void> {
  const { log, onStep } = services
  const { stored, control } = attempt
  const ended = await workOnTask(services, attempt, free).catch((error: unknown): EndedAttempt => {
    log.error('an attempt at a task failed unexpectedly', { attemptId: stored.id, error })
    const reason = `The attempt failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`
    return { outcome: 'released', reason, costUsd: null, ...interruption(control.cause) }
  })
  free()
  unlock()
  onStep?.('report')
  await submitReport(services, stored, ended)
  onStep?.('over')
}

async function workOnTask(services: DispatchServices, attempt: TaskAttempt, free: () => void): Promise<EndedAttempt> {
  const { store, claims, onStep } = services
  const { task, stored, runtime, control } = attempt
  const all = await store.attempts.ofTasks([task.id])
  const earlier = all.filter((one) => one.number < stored.number)
  onStep?.('worktree')
  const place = await openWorktree(services, task, stored.number, earlier, runtime.descriptor.claims)
  if (!place.ok) return { outcome: 'blocked', reason: place.reason, costUsd: null }
  onStep?.('note-worktree')
  if (place.opened) await claims.note(stored.id, { worktree: storedWorktree(place.opened) })
  const brief = await readBrief(services, attempt, earlier, place)
  if (control.cause !== null) return { ...stoppedOutcome(control.cause), costUsd: null }
  const { end, verdict, costUsd } = await runAgent(services, attempt, brief, place.opened)
  free()
  const outcome = outcomeOf(end, { verdict, cause: control.cause })
  await judgeWork(services, attempt, place, outcome)
  return { ...outcome, costUsd }
}

interface EndedRun {
  readonly end: RunEnding
  readonly verdict: RunVerdict | null
  readonly costUsd: number | null
}

/** Runs the agent once. Rejects when no run was started. */
async function runAgent(
  services: DispatchServices,
  { task, stored, agent, runtime, control }: TaskAttempt,
  brief: Omit<TaskBrief, 'canReport'>,
  opened: AttemptWorktree | null,
): Promise<EndedRun> {
  const { store, verdicts, runs, onStep } = services
  // Never null, because `onOpen` does not refuse.
  const run = (await runs.open({
    agent,
    runtime,
    sessionKey: control.sessionKey,
    trigger: 'task',
    teamId: task.teamId,
    taskId: task.id,
    ...(opened ? { folder: opened.worktree.folder, folderReads: opened.reads } : {}),
    prompt: ({ toolNames }) => ({
      id: stored.id,
      text: taskPrompt({ ...brief, canReport: toolNames.includes('report_done') }),
    }),
    async onOpen(tx, { id: runId }) {
      await tx.attempts.update(stored.id, { runId })
      verdicts.begin(runId)
      return []
    },
    ...(onStep ? { onStep } : {}),
  }))!
  try {
    control.began(run)
    const end = await run.ended
    control.runEnded()
    await closeRun(services, run)
    // Finished work counts even when its cost cannot be read.
    const row = await store.runs.get(run.id).catch(() => null)
    return { end, verdict: verdicts.take(run.id), costUsd: row?.costUsd ?? null }
  } finally {
    verdicts.take(run.id)
  }
}

/** Closes the run. After a failure the work still counts: the run service stores the end later. */
async function closeRun({ log }: DispatchServices, run: OpenRun): Promise<void> {
  try {
    await run.close({ also: async () => ({ result: undefined, events: [] }) })
  } catch (error) {
    log.error('the end of a run was not stored', { runId: run.id, error })
  }
}

/** Gathers the evidence before the report, so that a task in review has it. */
async function judgeWork(
  services: DispatchServices,
  { task, stored, control }: TaskAttempt,
  { opened, checkCommand }: Extract<OpenedWorktree, { ok: true }>,
  { outcome }: AttemptEnd,
): Promise<void> {
  if (!opened) return
  services.onStep?.('evidence')
  const work = {
    taskId: task.id,
    attemptId: stored.id,
    worktree: opened.worktree,
    // A stopping server has no time for the check, and a diff alone is not enough evidence.
    isJudged: outcome === 'completed' && control.cause !== 'server_stopping',
    checkCommand,
    signal: control.signal,
  }
  await gatherEvidence(services, work).catch((error: unknown) =>
    // The work is not lost, and a person can run the check again.
    services.log.error('the evidence of a task was not gathered', { taskId: task.id, error }),
  )
}

async function readBrief(
  { store }: DispatchServices,
  { task, stored, agent }: TaskAttempt,
  earlier: readonly StoredAttempt[],
  { opened, checkCommand }: Extract<OpenedWorktree, { ok: true }>,
): Promise<Omit<TaskBrief, 'canReport'>> {
  const last = earlier.at(-1)
  const comments = await store.taskComments.list(task.id, COMMENTS)
  const isNew = ({ createdAt, author }: (typeof comments)[number]) =>
    (!last || createdAt >= last.startedAt) && !(author.kind === 'agent' && author.id === agent.id)
  const lastText = last?.runId ? ((await store.runs.get(last.runId))?.text ?? '') : ''
  return {
    task,
    attempt: stored.number,
    previous: last ? { attempt: last.number, state: last.state, reason: last.reason, lastText } : null,
    comments: comments.filter(isNew),
    worktree: opened && { isResumed: opened.isResumed, notes: opened.worktree.notes },
    checkCommand,
  }
}

async function submitReport(
  { reports, log, now = Date.now }: DispatchServices,
  { id: attemptId, number: attempt }: StoredAttempt,
  ended: EndedAttempt,
): Promise<void> {
  const report: AttemptReport = { attemptId, attempt, ...ended, at: now() }
  for (const wait of [...REPORT_RETRIES_MS, null]) {
    try {
      const verdict = await reports.submit(report)
      if (verdict.verdict === 'stale') log.info('a report changed nothing', { attemptId, code: verdict.code })
      return
    } catch (error) {
      log.error('a report was not stored', { attemptId, error })
      if (wait === null) return
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

function storedWorktree({ worktree }: AttemptWorktree) {
  const branch = worktree.kind === 'worktree' ? worktree.branch : null
  return { path: worktree.folder, branch, base: worktree.base }
}

export interface AttemptEnd {
  readonly outcome: AttemptOutcome
  readonly reason: string | null
  /** See `AttemptReport`. */
  readonly interrupted?: boolean
}

/**
 * Returns the outcome of an attempt. The agent's own report comes first: a run that fails after the work was finished
 * must not lose it. Otherwise the task is released when another attempt may succeed, blocked when another attempt would
 * cost the same again or needs a decision, and failed when the runtime gave up.
 */
export function outcomeOf(
  end: RunEnding,
  { verdict, cause }: { readonly verdict: RunVerdict | null; readonly cause: StopCause | null },
): AttemptEnd {
  if (verdict?.outcome === 'completed') return { outcome: 'completed', reason: null }
  if (verdict) return { outcome: 'blocked', reason: verdict.reason ?? 'The agent gave no reason.' }
  if (end.outcome === 'completed') return { outcome: 'completed', reason: null }
  if (cause !== null && cause !== 'aborted_by_person' && !endedByLimit(end)) return stoppedOutcome(cause)
  const detail = end.detail ?? ''
  if (endedByLimit(end)) return { outcome: 'blocked', reason: `A limit stopped the run: ${detail || end.reason}` }
  if (end.outcome === 'failed') return failedOutcome(end, detail || 'The run failed without a reason.')
  if (end.reason === 'aborted_by_person') return { outcome: 'blocked', reason: 'A person stopped the run.' }
  if (end.reason === 'approval_denied') return { outcome: 'blocked', reason: 'A person denied an approval.' }
  return { outcome: 'released', reason: detail || `The run ended early: ${end.reason ?? end.outcome}.` }
}

/** The outcome of an attempt that ended before its run started. */
export function stoppedOutcome(cause: StopCause): AttemptEnd {
  if (cause === 'aborted_by_person') return { outcome: 'blocked', reason: 'A person stopped the run.' }
  return { outcome: 'released', reason: STOP_REASONS[cause] ?? 'The run was stopped.', ...interruption(cause) }
}

/**
 * Marks an end that the attempt did not cause. A lost lease is not marked: the work itself may have prevented a
 * renewal.
 */
export function interruption(cause: StopCause | null): Pick<AttemptEnd, 'interrupted'> {
  const isFromOutside = cause === 'taken_back' || cause === 'agent_removed' || cause === 'server_stopping'
  return isFromOutside ? { interrupted: true } : {}
}

const STOP_REASONS: Partial<Record<StopCause, string>> = {
  taken_back: 'A person took it back.',
  not_ours: 'The task was moved, or its lease expired.',
  agent_removed: 'Its agent was deleted.',
  server_stopping: 'The server stopped.',
}

/** The work itself did not fail, so another attempt may succeed. */
const TEMPORARY: readonly (RunReason | null)[] = ['process_died', 'start_failed', 'server_died', 'server_stopping']
/** Only a person can change the setup or assign the task to someone else. */
const NEEDS_PERSON: readonly (RunReason | null)[] = ['model_unknown', 'refused', 'start_failed']

function failedOutcome({ reason, isFinal }: RunEnding, detail: string): AttemptEnd {
  if (!isFinal && TEMPORARY.includes(reason)) return { outcome: 'released', reason: detail }
  return { outcome: NEEDS_PERSON.includes(reason) ? 'blocked' : 'failed', reason: detail }
}
