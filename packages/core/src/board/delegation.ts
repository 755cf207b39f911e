export interface DelegationCaps {
  /** How deep below a task that a person made. */
  readonly depth: number
  /** How many tasks one turn may make. */
  readonly fanOut: number
  /** How many children of one task may be neither done nor cancelled. */
  readonly liveChildren: number
}

export const DEFAULT_DELEGATION_CAPS: DelegationCaps = { depth: 2, fanOut: 8, liveChildren: 24 }

/** Counted in the board's own rows, never by whoever asks. */
export interface DelegationCounts {
  /** The depth of the task that delegates. */
  readonly parentDepth: number
  readonly madeThisTurn: number
  readonly liveChildren: number
  /** How many are asked for now. */
  readonly asked: number
}

export type DelegationVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly code: 'delegation_capped'
      readonly cap: keyof DelegationCaps
      /** What it would have come to. */
      readonly figure: number
      readonly limit: number
      readonly message: string
    }

/** Whether an agent may hand out more work: all that is asked for, or none of it. */
export function judgeDelegation(
  counts: DelegationCounts,
  caps: DelegationCaps = DEFAULT_DELEGATION_CAPS,
): DelegationVerdict {
  const checks = [
    ['depth', [counts.parentDepth, 1], 'levels of delegated tasks'],
    ['fanOut', [counts.madeThisTurn, counts.asked], 'tasks from one turn'],
    ['liveChildren', [counts.liveChildren, counts.asked], 'open tasks below one task'],
  ] as const
  for (const [cap, parts, what] of checks) {
    const figure = parts[0] + parts[1]
    const limit = caps[cap]
    // A count that is no count must not open a cap.
    if (parts.every((part) => Number.isSafeInteger(part) && part >= 0) && figure <= limit) continue
    const message = `That would make ${figure} ${what}; at most ${limit} are allowed.`
    return { ok: false, code: 'delegation_capped', cap, figure, limit, message }
  }
  return { ok: true }
}
