import { ClawbooError } from '@clawboo/core'
import type { RunEntry } from '@clawboo/core/executor'
import type { Store } from '../../store/open-store.ts'
import type { RunFilter } from '../../store/repositories/runs/runs-repository.ts'

export type Runs = ReturnType<typeof createRuns>

/** All runs with their entries. `liveEntries` returns the entries so far of an active run on this server; null for any other run. */
export function createRuns(store: Store, liveEntries: (runId: string) => readonly RunEntry[] | null = () => null) {
  return {
    /** Newest first. */
    async list(filter: RunFilter) {
      const found = await store.runs.list({ ...filter, limit: filter.limit + 1 })
      return { runs: found.slice(0, filter.limit), hasMore: found.length > filter.limit }
    },
    /** Throws `run_not_found`. */
    async get(id: string) {
      // Read before the store: a run that ends in between is then complete in the store.
      const live = liveEntries(id)
      const run = await store.runs.get(id)
      if (!run) throw new ClawbooError('run_not_found', `there is no run "${id}"`, { details: { runId: id } })
      const entries = live && run.state === 'running' ? live : (await store.runs.entries([id])).get(id)!
      return { run, entries }
    },
  }
}
