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
import { type SyncMark, syncMarkKey } from './reconcile-source.ts'
import { FLEET_COUNTER } from './record-change.ts'
import { foldName } from './team-membership.ts'

export interface FleetFilter {
  /** A team id, or `none`. */
  readonly team?: string
  readonly runtime?: string
  readonly status?: string
  readonly text?: string
  readonly includeArchived?: boolean
}

/** The fleet as bytes, ready to send. Equal tags mean equal bytes. */
export interface FleetBody {
  readonly tag: string
  readonly body: Buffer
}

export type Fleet = ReturnType<typeof createFleet>

/** The facts about a source other than its state. */
interface SourceFacts {
  /** The name for people. */
  readonly label: string
  /** Whether a person connects it to its upstream. */
  readonly connectable: boolean
  /** Whether its upstream has a tool policy for its agents that can be read and changed. */
  readonly hasToolPolicy: boolean
}

type LabelledStatus = SourceStatus & SourceFacts

/** The number of bodies that are kept for readers of an unchanged fleet, most recently used last. */
const KEPT_BODIES = 8

/** Reads of the whole fleet, from the registry of record and never from an upstream. */
export function createFleet(store: Store, registry: AgentRegistry, factsOf: (sourceId: string) => SourceFacts) {
  const bodies = new Map<string, Promise<Buffer>>()
  // Another database may reach the same count, so a tag of one server must not match on another.
  const salt = randomBytes(9).toString('base64url')
  let booZero: { readonly version: number; readonly id: Promise<string | null> } | null = null

  const statuses = async () =>
    (await readSourceStatuses(registry)).map((status) => ({ ...status, ...factsOf(status.sourceId) }))

  return {
    /** Answers from memory while the fleet is unchanged, which one small query checks. */
    async read(filter: FleetFilter) {
      const [version, sources] = await Promise.all([store.counters.current(FLEET_COUNTER), statuses()])
      const tag = tagOf(salt, version, sources, filter)
      const kept = bodies.get(tag)
      const building = kept ?? buildBody(store, registry, filter, sources)
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

async function buildBody(
  store: Store,
  registry: AgentRegistry,
  filter: FleetFilter,
  sources: readonly LabelledStatus[],
): Promise<Buffer> {
  const live: LeaderFacts[] = []
  const matched: string[] = []
  const matches = matcher(filter)
  await eachPage(store, filter.includeArchived, (page) => {
    for (const agent of page) if (agent.archivedAt === null) live.push(leaderFacts(agent))
    const shown = JSON.stringify(page.filter(matches)).slice(1, -1)
    if (shown !== '') matched.push(shown)
  })
  const { defaultId, booZeroId } = fleetLeaders(live)
  const mainKey = await readMainKey(store, registry)
  const rest = { defaultId, mainKey, booZeroId, stale: sources.some((source) => source.stale), sources }
  return Buffer.from(`{"agents":[${matched.join()}],${JSON.stringify(rest).slice(1)}`)
}

async function readMainKey(store: Store, registry: AgentRegistry): Promise<string | null> {
  for (const source of registry.list()) {
    const mark = await store.settings.get<SyncMark>(syncMarkKey(source.id))
    if (mark?.mainKey) return mark.mainKey
  }
  return null
}

type LeaderFacts = Parameters<typeof fleetLeaders>[0][number]

function leaderFacts({ id, teamId, isDefault, participantKind }: AgentRecord): LeaderFacts {
  return { id, teamId, isDefault, participantKind }
}

/** Small pages, so that the objects of one are freed before the next is read. */
const PAGE_AGENTS = 500

/** Reads the fleet in one snapshot, page by page. A fleet that fits on one page needs only one statement. */
async function eachPage(
  store: Store,
  includeArchived: boolean | undefined,
  take: (page: readonly AgentRecord[]) => void,
): Promise<void> {
  const query = { includeArchived, limit: PAGE_AGENTS }
  const first = await store.agents.page({ ...query, after: null })
  if (first.length < PAGE_AGENTS) return take(first)
  await store.snapshot(async ({ agents }) => {
    let after: AgentRecord | null = null
    do {
      const page: AgentRecord[] = await agents.page({ ...query, after })
      take(page)
      after = page.at(-1) ?? null
    } while (after)
  })
}

function tagOf(salt: string, version: number, sources: readonly LabelledStatus[], filter: FleetFilter): string {
  const fields = [filter.team, filter.runtime, filter.status, filter.text, filter.includeArchived === true]
  const rest = createHash('sha256')
    .update(JSON.stringify([salt, sources, fields]))
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
