import type { AllowlistEntry } from './allowlist.ts'

/** What a person allowed for ever, for one agent. */
export interface ExecApprovals {
  entries(): Promise<readonly AllowlistEntry[]>
  /** Keeps entries beside those that are there; one that is there already is not kept twice. */
  add(entries: readonly AllowlistEntry[]): Promise<void>
}

/** Where they are kept. `load` may give anything: what does not look like an entry is not one. */
export interface ExecApprovalsStore {
  load(): Promise<unknown>
  save(entries: readonly AllowlistEntry[]): Promise<void>
}

export function createExecApprovals(store: ExecApprovalsStore): ExecApprovals {
  let last: Promise<unknown> = Promise.resolve()
  const entries = async () => {
    const loaded = await store.load()
    return Array.isArray(loaded) ? loaded.flatMap(asEntry) : []
  }
  return {
    entries,
    add(added) {
      // One after the other: two answers at once must not lose one.
      const turn = last.then(async () => {
        const present = await entries()
        const fresh = added.filter(
          (entry, at) => ![...present, ...added.slice(0, at)].some((other) => same(other, entry)),
        )
        if (fresh.length > 0) await store.save([...present, ...fresh])
      })
      last = turn.catch(() => {})
      return turn
    },
  }
}

function asEntry(value: unknown): AllowlistEntry[] {
  if (typeof value !== 'object' || value === null) return []
  const { pattern, argPattern, args } = value as Record<string, unknown>
  if (typeof pattern !== 'string') return []
  // A broken limit must not turn into no limit.
  if (argPattern !== undefined && typeof argPattern !== 'string') return []
  if (args !== undefined && !(Array.isArray(args) && args.every((word) => typeof word === 'string'))) return []
  const limits = { ...(argPattern === undefined ? {} : { argPattern }), ...(args === undefined ? {} : { args }) }
  // Whatever the file says: nothing kept counts as the operator's own setting.
  return [{ pattern, ...limits, kept: true }]
}

function same(a: AllowlistEntry, b: AllowlistEntry): boolean {
  return a.pattern === b.pattern && a.argPattern === b.argPattern && JSON.stringify(a.args) === JSON.stringify(b.args)
}
