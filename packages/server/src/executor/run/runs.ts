import { ClawbooError } from '@clawboo/core'
import type { RunDetail, RunEntry, RunRecord } from '@clawboo/core/executor'
import type { Store } from '../../store/open-store.ts'
import type { RunFilter } from '../../store/repositories/runs/runs-repository.ts'

/** All runs with their entries. */
export interface Runs {
  /** Newest first. */
  list(filter: RunFilter): Promise<{ readonly runs: RunRecord[]; readonly hasMore: boolean }>
  /** Throws `run_not_found`. */
  get(id: string): Promise<RunDetail>
}

/** `liveEntries` returns the entries so far of an active run on this server; null for any other run. */
export function createRuns(
  store: Store,
  liveEntries: (runId: string) => readonly RunEntry[] | null = () => null,
): Runs {
  return {
    async list(filter) {
      const found = await store.runs.list({ ...filter, limit: filter.limit + 1 })
      return { runs: found.slice(0, filter.limit), hasMore: found.length > filter.limit }
    },
    async get(id) {
      // Read before the store: a run that ends in between is then complete in the store.
      const live = liveEntries(id)
      const run = await store.runs.get(id)
      if (!run) throw new ClawbooError('run_not_found', `there is no run "${id}"`, { details: { runId: id } })
      const entries = live && run.state === 'running' ? live : (await store.runs.entries([id])).get(id)!
      return { run, entries }
    },
  }
}
