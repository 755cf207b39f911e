import type { AttemptOutcome } from '@clawboo/core/board'
import type { RunReason } from '@clawboo/core/executor'
import type { RunVerdict } from '../../board/run-verdicts.ts'
import type { StopCause } from '../run/run-control.ts'
import { endedByLimit, type RunEnding } from '../run/run-plan.ts'

export interface AttemptEnd {
  readonly outcome: AttemptOutcome
  readonly reason: string | null
  /** See `AttemptReport`. */
  readonly interrupted?: boolean
}

/**
 * The outcome of an attempt for its task. The agent's own report goes first: finished work is not lost because its run
 * failed afterwards. Otherwise the task is released when another attempt may succeed, blocked when another attempt would
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

/** Marks an end that the attempt did not cause. A lost lease is not one: the work itself may have prevented a renewal. */
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
