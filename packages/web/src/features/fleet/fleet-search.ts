import { type AgentStateKind, STATE_WORDS } from '../../shared/agent/agent-state.ts'

export const GROUPINGS = ['team', 'runtime', 'none'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** The search parameters of the Fleet. Absent = all Boos, grouped by team. */
export interface FleetSearch {
  readonly q?: string
  readonly state?: AgentStateKind
  readonly group?: Grouping
}

/** Unknown values are dropped, so that a mistyped address still shows the fleet. */
export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  const { q, state, group } = search
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof state === 'string' && Object.hasOwn(STATE_WORDS, state) ? { state: state as AgentStateKind } : {}),
    ...((GROUPINGS as readonly unknown[]).includes(group) ? { group: group as Grouping } : {}),
  }
}
