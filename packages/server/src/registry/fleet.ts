import { createHash, randomBytes } from 'node:crypto'
import {
  type AgentRecord,
  type AgentRegistry,
  agentRole,
  fleetLeaders,
  readFleet,
  readSourceStatuses,
  type SourceStatus,
} from '@clawboo/core/registry'
import type { Store } from '../store/open-store.ts'
import { FLEET_COUNTER } from './record-change.ts'
import { syncMarkKey } from './source-records.ts'
import { foldName } from './team-membership.ts'

export interface FleetFilter {
  /** A team id, or `none`. */
  readonly team?: string
  readonly runtime?: string
  readonly status?: string
  readonly text?: string
  readonly includeArchived?: boolean
}

/** The fleet as bytes that can be sent as they are. Equal tags mean equal bytes. */
export interface FleetBody {
  readonly tag: string
  readonly body: Buffer
}

/** Reads of the whole fleet. They come from the registry of record and ask no upstream. */
export interface Fleet {
  /** Answers from memory while nothing changed: one small query tells. */
  read(filter: FleetFilter): Promise<FleetBody>
  booZeroId(): Promise<string | null>
  counts(): Promise<{ agents: number; teams: number; engine: 'sqlite' | 'postgres' }>
  sources(): Promise<(LabelledStatus & { agentCount: number })[]>
}

/** What is known of a source beside how it stands. */
export interface SourceFacts {
  /** What a person calls it. */
  readonly label: string
  /** A person connects it to its upstream. */
  readonly connectable: boolean
  /** Its upstream says which tools its agents may use, and can be told. */
  readonly hasToolPolicy: boolean
}

type LabelledStatus = SourceStatus & SourceFacts

/** Whole bodies kept for readers of an unchanged fleet, most recently used last. */
const KEPT_BODIES = 8

export function createFleet(store: Store, registry: AgentRegistry, factsOf: (sourceId: string) => SourceFacts): Fleet {
  const bodies = new Map<string, Promise<Buffer>>()
  // Another database may have counted as far: a tag of one server must mean nothing to the next.
  const salt = randomBytes(9).toString('base64url')
  let booZero: { readonly version: number; readonly id: Promise<string | null> } | null = null

  const statuses = async () =>
    (await readSourceStatuses(registry)).map((status) => ({ ...status, ...factsOf(status.sourceId) }))

  const build = async (filter: FleetFilter, sources: readonly LabelledStatus[]): Promise<Buffer> => {
    const live: LeaderFacts[] = []
    const matched: string[] = []
    const matches = matcher(filter)
    await eachPage(store, filter.includeArchived, (page) => {
      for (const agent of page) if (agent.archivedAt === null) live.push(leaderFacts(agent))
      const shown = JSON.stringify(page.filter(matches)).slice(1, -1)
      if (shown !== '') matched.push(shown)
    })
    const { defaultId, booZeroId } = fleetLeaders(live)
    const mainKey = await readMainKey()
    const rest = { defaultId, mainKey, booZeroId, stale: sources.some((source) => source.stale), sources }
    return Buffer.from(`{"agents":[${matched.join()}],${JSON.stringify(rest).slice(1)}`)
  }
  const readMainKey = async () => {
    for (const source of registry.list()) {
      const mark = await store.settings.get<{ mainKey: string | null }>(syncMarkKey(source.id))
      if (mark?.mainKey) return mark.mainKey
    }
    return null
  }

  return {
    async read(filter) {
      const [version, sources] = await Promise.all([store.counters.current(FLEET_COUNTER), statuses()])
      const tag = tagOf(salt, version, sources, filter)
      const kept = bodies.get(tag)
      const building = kept ?? build(filter, sources)
      bodies.delete(tag)
      bodies.set(tag, building)
      if (bodies.size > KEPT_BODIES) bodies.delete(bodies.keys().next().value!)
      try {
        return { tag, body: await building }
      } catch (error) {
        bodies.delete(tag)
        throw error
      }
    },
    async booZeroId() {
      const version = await store.counters.current(FLEET_COUNTER)
      if (booZero?.version !== version) {
        const id = store.agents.listAll().then((live) => fleetLeaders(live).booZeroId)
        booZero = { version, id }
        id.catch(() => {
          booZero = null
        })
      }
      return booZero.id
    },
    async counts() {
      const [bySource, teams] = await Promise.all([store.agents.countsBySource(), store.teams.list()])
      return { agents: bySource.reduce((sum, { live }) => sum + live, 0), teams: teams.length, engine: store.db.engine }
    },
    async sources() {
      const [reading, counts] = await Promise.all([readFleet(registry), store.agents.countsBySource()])
      const countOf = new Map(counts.map((count) => [count.sourceId, count.live]))
      return reading.statuses.map((status) => ({
        ...status,
        ...factsOf(status.sourceId),
        agentCount: countOf.get(status.sourceId) ?? 0,
      }))
    },
  }
}

type LeaderFacts = Parameters<typeof fleetLeaders>[0][number]

function leaderFacts({ id, teamId, isDefault, participantKind }: AgentRecord): LeaderFacts {
  return { id, teamId, isDefault, participantKind }
}

/** So few that what was made of one page is gone, at little cost, before the next one is read. */
const PAGE_AGENTS = 500

/** Everybody as of one moment, some at a time. Whoever fits on one page is read by one statement, which is one moment. */
async function eachPage(
  store: Store,
  includeArchived: boolean | undefined,
  take: (page: readonly AgentRecord[]) => void,
): Promise<void> {
  const wish = { includeArchived, limit: PAGE_AGENTS }
  const first = await store.agents.page({ ...wish, after: null })
  if (first.length < PAGE_AGENTS) return take(first)
  await store.snapshot(async ({ agents }) => {
    let after: AgentRecord | null = null
    do {
      const page: AgentRecord[] = await agents.page({ ...wish, after })
      take(page)
      after = page.at(-1) ?? null
    } while (after)
  })
}

function tagOf(salt: string, version: number, sources: readonly LabelledStatus[], filter: FleetFilter): string {
  const asked = [filter.team, filter.runtime, filter.status, filter.text, filter.includeArchived === true]
  const rest = createHash('sha256')
    .update(JSON.stringify([salt, sources, asked]))
    .digest('base64url')
    .slice(0, 16)
  return `"${version}-${rest}"`
}

function matcher(filter: FleetFilter): (agent: AgentRecord) => boolean {
  const words = filter.text === undefined ? [] : foldName(filter.text).split(' ').filter(Boolean)
  return (agent) =>
    (filter.team === undefined || agent.teamId === (filter.team === 'none' ? null : filter.team)) &&
    (filter.runtime === undefined || agent.runtime === filter.runtime) &&
    (filter.status === undefined || agent.status === filter.status) &&
    (words.length === 0 || words.every((word) => foldName(`${agent.displayName} ${agentRole(agent)}`).includes(word)))
}
