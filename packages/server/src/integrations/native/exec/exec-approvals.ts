import { createInOrder } from '@clawboo/core'
import type { AllowlistEntry } from './allowlist.ts'

/** The commands of one agent that a person always allows. */
export interface ExecApprovals {
  entries(): Promise<readonly AllowlistEntry[]>
  /** Adds the entries that are not stored yet. */
  add(entries: readonly AllowlistEntry[]): Promise<void>
}

/** The storage. `load` may return anything; invalid entries are ignored. */
export interface ExecApprovalsStore {
  load(): Promise<unknown>
  save(entries: readonly AllowlistEntry[]): Promise<void>
}

export function createExecApprovals(store: ExecApprovalsStore): ExecApprovals {
  // Without the order, one of two simultaneous answers would be lost.
  const inOrder = createInOrder()
  const entries = async () => {
    const loaded = await store.load()
    return Array.isArray(loaded) ? loaded.flatMap(asEntry) : []
  }
  return {
    entries,
    add: (added) =>
      inOrder(async () => {
        const present = await entries()
        const fresh = added.filter(
          (entry, at) => ![...present, ...added.slice(0, at)].some((other) => same(other, entry)),
        )
        if (fresh.length > 0) await store.save([...present, ...fresh])
      }),
  }
}

function asEntry(value: unknown): AllowlistEntry[] {
  if (typeof value !== 'object' || value === null) return []
  const { pattern, argPattern, args } = value as Record<string, unknown>
  if (typeof pattern !== 'string') return []
  // An entry with an invalid limit must not become one without a limit.
  if (argPattern !== undefined && typeof argPattern !== 'string') return []
  if (args !== undefined && !(Array.isArray(args) && args.every((word) => typeof word === 'string'))) return []
  const limits = { ...(argPattern === undefined ? {} : { argPattern }), ...(args === undefined ? {} : { args }) }
  // Not read from the file: a stored entry must never count as the operator's own setting.
  return [{ pattern, ...limits, kept: true }]
}

function same(a: AllowlistEntry, b: AllowlistEntry): boolean {
  return a.pattern === b.pattern && a.argPattern === b.argPattern && JSON.stringify(a.args) === JSON.stringify(b.args)
}
