import type { ExecutionOutcome } from '@clawboo/core/board'
import type { RunReason } from '@clawboo/core/executor'
import type { RunVerdict } from '../../board/run-verdicts.ts'
import type { StopCause } from '../run/run-control.ts'
import { endedByLimit, type RunEnding } from '../run/run-plan.ts'

export interface AttemptOutcome {
  readonly outcome: ExecutionOutcome
  readonly reason: string | null
  /** As with `ExecutionReport`. */
  readonly interrupted?: boolean
}

/**
 * What an attempt's end means for its task. The agent's own word goes first: work that was called done is not lost
 * because its run ended badly afterwards. What may go better at the next try is given back; what would cost the same
 * again, or needs somebody's decision, is blocked; what the run's own runtime gave up on has failed.
 */
export function outcomeOf(
  end: RunEnding,
  { verdict, cause }: { readonly verdict: RunVerdict | null; readonly cause: StopCause | null },
): AttemptOutcome {
  if (verdict?.outcome === 'completed') return { outcome: 'completed', reason: null }
  if (verdict) return { outcome: 'blocked', reason: verdict.reason ?? 'The agent gave no reason.' }
  if (end.outcome === 'completed') return { outcome: 'completed', reason: null }
  if (cause !== null && cause !== 'aborted_by_person' && !endedByLimit(end)) return stoppedOutcome(cause)
  const words = end.detail ?? ''
  if (endedByLimit(end)) return { outcome: 'blocked', reason: `It was stopped by a limit: ${words || end.reason}` }
  if (end.outcome === 'failed') return failedOutcome(end, words || 'The run failed without saying why.')
  if (end.reason === 'aborted_by_person') return { outcome: 'blocked', reason: 'A person stopped the run.' }
  if (end.reason === 'approval_denied') return { outcome: 'blocked', reason: 'A person did not allow what it needs.' }
  return { outcome: 'released', reason: words || `The run ended early: ${end.reason ?? end.outcome}.` }
}

/** For an attempt that ended before there was a run. */
export function stoppedOutcome(cause: StopCause): AttemptOutcome {
  if (cause === 'aborted_by_person') return { outcome: 'blocked', reason: 'A person stopped the run.' }
  return { outcome: 'released', reason: STOPPED[cause] ?? 'The run was ended.', ...interruption(cause) }
}

/** Whose end was no fault of the attempt. A lease that ran out is none: the work may be what kept it from being renewed. */
export function interruption(cause: StopCause | null): Pick<AttemptOutcome, 'interrupted'> {
  const isFromOutside = cause === 'taken_back' || cause === 'agent_removed' || cause === 'server_stopping'
  return isFromOutside ? { interrupted: true } : {}
}

const STOPPED: Partial<Record<StopCause, string>> = {
  taken_back: 'A person took it back.',
  not_ours: 'It was moved meanwhile, or its lease ran out.',
  agent_removed: 'Its agent was removed.',
  server_stopping: 'The server stopped.',
}

/** Nothing of the work went wrong: the next try may find it otherwise. */
const PASSING: readonly (RunReason | null)[] = ['process_died', 'start_failed', 'server_died', 'server_stopping']
/** Only a person can mend the set-up, or ask somebody else. */
const FOR_A_PERSON: readonly (RunReason | null)[] = ['model_unknown', 'refused', 'start_failed']

function failedOutcome({ reason, isFinal }: RunEnding, words: string): AttemptOutcome {
  if (!isFinal && PASSING.includes(reason)) return { outcome: 'released', reason: words }
  return { outcome: FOR_A_PERSON.includes(reason) ? 'blocked' : 'failed', reason: words }
}
