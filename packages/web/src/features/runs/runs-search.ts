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

/** The scroll position of a list: the top row and its offset. */
export interface ListPlace {
  readonly topId: string | null
  readonly offset: number
}

interface Row {
  readonly id: string
}

export function placeAt(offset: number, rows: readonly Row[], rowHeight: number): ListPlace {
  return { topId: rows[Math.floor(offset / rowHeight)]?.id ?? null, offset }
}

/** The offset of the same row, even if rows were added above it. At the top, new rows show. */
export function offsetOf(place: ListPlace | undefined, rows: readonly Row[], rowHeight: number): number {
  if (!place || place.offset === 0) return 0
  const at = rows.findIndex(({ id }) => id === place.topId)
  return at < 0 ? place.offset : at * rowHeight + (place.offset % rowHeight)
}
