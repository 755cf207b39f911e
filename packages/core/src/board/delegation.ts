export interface DelegationCaps {
  /** The depth below a task that a person created. */
  readonly depth: number
  /** How many tasks one run may create. */
  readonly fanOut: number
  /** How many open subtasks one task may have. */
  readonly liveChildren: number
}

export const DEFAULT_DELEGATION_CAPS: DelegationCaps = { depth: 2, fanOut: 8, liveChildren: 24 }

/** Counted from the board's own rows, never taken from the caller. */
export interface DelegationCounts {
  /** The depth of the delegating task. */
  readonly parentDepth: number
  readonly madeThisTurn: number
  readonly liveChildren: number
  /** The number of requested tasks. */
  readonly asked: number
}

export type DelegationVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly code: 'delegation_capped'
      readonly cap: keyof DelegationCaps
      /** The number that would result. */
      readonly figure: number
      readonly limit: number
      readonly message: string
    }

/** Decides whether an agent may create all requested tasks, or none of them. */
export function judgeDelegation(
  counts: DelegationCounts,
  caps: DelegationCaps = DEFAULT_DELEGATION_CAPS,
): DelegationVerdict {
  const checks = [
    ['depth', [counts.parentDepth, 1], 'levels of delegated tasks'],
    ['fanOut', [counts.madeThisTurn, counts.asked], 'tasks from one run'],
    ['liveChildren', [counts.liveChildren, counts.asked], 'open subtasks of one task'],
  ] as const
  for (const [cap, summands, what] of checks) {
    const figure = summands[0] + summands[1]
    const limit = caps[cap]
    // An invalid count must not pass a limit.
    if (summands.every((part) => Number.isSafeInteger(part) && part >= 0) && figure <= limit) continue
    const message = `That would make ${figure} ${what}; at most ${limit} are allowed.`
    return { ok: false, code: 'delegation_capped', cap, figure, limit, message }
  }
  return { ok: true }
}
