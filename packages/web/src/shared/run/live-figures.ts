import type { RunRecord } from '@clawboo/core/executor'
import type { RunFold } from '../../live/fold-run.ts'

/** The stream has the figures of a running run; the record has them after its end. */
export function withLiveFigures(run: RunRecord, live: RunFold | undefined): RunRecord {
  if (run.state === 'ended' || !live?.cost) return run
  return {
    ...run,
    ...live.used,
    model: live.cost.model,
    costUsd: live.costUsd,
    contextTokens: live.cost.contextTokens ?? run.contextTokens,
    contextWindowTokens: live.cost.contextWindowTokens ?? run.contextWindowTokens,
  }
}
