import { type DailyBudgets, DEFAULT_DAILY_BUDGETS, DEFAULT_RUN_LIMITS, type RunLimits } from '@clawboo/core/executor'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { SpendScope, Spent } from '../../store/repositories/runs/spend-repository.ts'

export type Limits = ReturnType<typeof createLimits>

interface LimitValues {
  readonly run: RunLimits
  readonly daily: DailyBudgets
}

export interface LimitsPatch {
  readonly run?: Partial<RunLimits>
  readonly daily?: Partial<DailyBudgets>
}

interface SpentCall {
  /** The price of the call, or the ceiling when the price is unknown. */
  readonly usd: number
  readonly inputTokens: number
  readonly outputTokens: number
}

interface LimitsOverview extends LimitValues {
  /** In UTC. */
  readonly day: string
  readonly spentToday: {
    readonly serverUsd: number
    readonly byAgent: (Spent & { readonly agentId: string })[]
    readonly byTeam: (Spent & { readonly teamId: string })[]
  }
}

const SETTING = 'limits'
const CHANNEL = 'clawboo_limits'

/** The limits of runs, the daily budgets, and the spending of today. */
export function createLimits(store: Store, record: RecordChange, now: () => number = Date.now) {
  let cached: Promise<LimitValues> | null = null
  const forget = () => {
    cached = null
  }
  const stopListening = store.db.listen(CHANNEL, forget)
  const today = () => new Date(now()).toISOString().slice(0, 10)

  const read = () => {
    if (cached) return cached
    const reading = store.settings.get<LimitsPatch>(SETTING).then(withDefaults)
    cached = reading
    // The caller gets the error; this handler only clears the cache.
    reading.catch(() => {
      if (cached === reading) cached = null
    })
    return reading
  }
  return {
    /** Cached until a change on any server. */
    read,
    /** Absent fields keep their values. */
    async write(patch: LimitsPatch) {
      const written = await record({ action: 'limits.set', subject: 'limits', lock: SETTING }, async (tx) => {
        const before = withDefaults(await tx.settings.get<LimitsPatch>(SETTING))
        const after = {
          run: { ...before.run, ...definedOf(patch.run) },
          daily: { ...before.daily, ...definedOf(patch.daily) },
        }
        if (JSON.stringify(after) === JSON.stringify(before)) return { result: before, events: [] }
        await tx.settings.set(SETTING, after)
        return { result: after, events: [{ type: 'limits-changed' }], detail: patch }
      })
      forget()
      store.db.notify(CHANNEL)
      return written
    },
    /** Counts one model call against the agent, its team and the server. */
    addSpend: (agentId: string, teamId: string | null, call: SpentCall) =>
      store.spend.add(today(), scopesOf(agentId, teamId), { ...call, modelCalls: 1 }),
    async spentToday(agentId: string, teamId: string | null) {
      const usd = await store.spend.usd(today(), scopesOf(agentId, teamId))
      return {
        serverUsd: usd.get('server')!,
        agentUsd: usd.get(`agent:${agentId}`)!,
        teamUsd: teamId === null ? null : usd.get(`team:${teamId}`)!,
      }
    },
    async overview() {
      const day = today()
      const [values, spent] = await Promise.all([read(), store.spend.list(day)])
      return { ...values, day, spentToday: spentOverview(spent) }
    },
    close: stopListening,
  }
}

function spentOverview(spent: Awaited<ReturnType<Store['spend']['list']>>): LimitsOverview['spentToday'] {
  const of = (kind: 'agent:' | 'team:') =>
    spent.flatMap(({ scope, ...rest }) => (scope.startsWith(kind) ? [{ id: scope.slice(kind.length), ...rest }] : []))
  return {
    serverUsd: spent.find(({ scope }) => scope === 'server')?.usd ?? 0,
    byAgent: of('agent:').map(({ id, ...rest }) => ({ agentId: id, ...rest })),
    byTeam: of('team:').map(({ id, ...rest }) => ({ teamId: id, ...rest })),
  }
}

function scopesOf(agentId: string, teamId: string | null): SpendScope[] {
  return ['server', `agent:${agentId}`, ...(teamId === null ? [] : [`team:${teamId}` as const])]
}

/**
 * Reads a stored value that may be from another version: drops unknown fields and fills missing ones with their
 * defaults.
 */
function withDefaults(stored: LimitsPatch | undefined): LimitValues {
  return { run: pick(DEFAULT_RUN_LIMITS, stored?.run), daily: pick(DEFAULT_DAILY_BUDGETS, stored?.daily) }
}

function pick<T extends object>(defaults: T, stored: Partial<T> | undefined): T {
  const entries = (Object.keys(defaults) as (keyof T)[]).map((key) => [key, stored?.[key] ?? defaults[key]])
  return Object.fromEntries(entries) as T
}

function definedOf<T extends object>(patch: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(patch ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>
}
