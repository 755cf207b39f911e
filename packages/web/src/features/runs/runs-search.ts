import { RUN_OUTCOMES, type RunOutcome } from '@clawboo/core/executor'

/** The search parameters of Runs. Absent = no filter. */
export interface RunsSearch {
  readonly agent?: string
  readonly outcome?: RunOutcome | 'running'
}

/** Unknown values are dropped, so that a mistyped address still shows the runs. */
export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  const { agent, outcome } = search
  return {
    ...(typeof agent === 'string' && agent !== '' ? { agent } : {}),
    ...(outcome === 'running' || (RUN_OUTCOMES as readonly unknown[]).includes(outcome)
      ? { outcome: outcome as RunsSearch['outcome'] }
      : {}),
  }
}
