import type { Agent } from '../../api/fleet.ts'
import { type AgentStateKind, agentState, STATE_WORDS } from '../../shared/agent/agent-state.ts'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { fold } from '../../ui/words/search-words.ts'
import type { FleetSearch, Grouping } from './fleet-search.ts'

/** A line of the list: a group's heading, or a Boo. */
export type FleetRow =
  | { readonly type: 'group'; readonly key: string; readonly title: string; readonly count: number }
  | { readonly type: 'agent'; readonly key: string; readonly agent: Agent }

export interface FleetNames {
  readonly team: (id: string) => string | undefined
  readonly runtime: (id: string) => string
}

/** The values, besides the Boo, that a state depends on. */
export interface FleetMoment {
  readonly now: number
  readonly waiting: ReadonlySet<string>
}

interface FleetContext extends FleetMoment {
  readonly names: FleetNames
  readonly booZeroId: string | null
}

/** The list for the parameters of the address, sorted by name within each group, Boo Zero first. */
export function fleetRows(agents: readonly Agent[], search: FleetSearch, context: FleetContext): FleetRow[] {
  const shown = agents.filter(
    (agent) => matchesText(agent, search.q) && (!search.state || stateKind(agent, context) === search.state),
  )
  const sorted = sortByName(shown, context.booZeroId)
  const grouping = search.group ?? 'team'
  if (grouping === 'none') return sorted.map(agentRow)
  const groups = new Map<string, { title: string; agents: Agent[] }>()
  for (const agent of sorted) {
    const { key, title } = groupOf(agent, grouping, context.names)
    const group = groups.get(key)
    if (group) group.agents.push(agent)
    else groups.set(key, { title, agents: [agent] })
  }
  return [...groups.entries()]
    .sort(([keyA, one], [keyB, other]) => Number(keyA === '') - Number(keyB === '') || compare(one.title, other.title))
    .flatMap(([key, group]): FleetRow[] => [
      { type: 'group', key: `group ${key}`, title: group.title, count: group.agents.length },
      ...group.agents.map(agentRow),
    ])
}

/** The number of Boos in each state, in the order of the filters. */
export function countStates(agents: readonly Agent[], moment: FleetMoment): { kind: AgentStateKind; count: number }[] {
  const counts = new Map<AgentStateKind, number>()
  for (const agent of agents) {
    const kind = stateKind(agent, moment)
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return (Object.keys(STATE_WORDS) as AgentStateKind[]).flatMap((kind) => {
    const count = counts.get(kind)
    return count === undefined ? [] : [{ kind, count }]
  })
}

/** null for a person, because a person has no such state. */
function stateKind(agent: Agent, { now, waiting }: FleetMoment): AgentStateKind | null {
  return agent.participantKind === 'human' ? null : agentState(agent, now, waiting.has(agent.id)).kind
}

function groupOf(agent: Agent, grouping: Exclude<Grouping, 'none'>, names: FleetNames): { key: string; title: string } {
  if (grouping === 'runtime') return { key: agent.runtime, title: names.runtime(agent.runtime) }
  const title = agent.teamId === null ? undefined : names.team(agent.teamId)
  return title === undefined ? { key: '', title: 'No team' } : { key: agent.teamId ?? '', title }
}

function matchesText(agent: Agent, query: string | undefined): boolean {
  if (query === undefined) return true
  const name = fold(agent.displayName)
  const role = fold(roleOf(agent) ?? '')
  return fold(query)
    .split(/\s+/)
    .every((word) => name.includes(word) || role.includes(word))
}

function sortByName(agents: Agent[], booZeroId: string | null): Agent[] {
  return agents.sort(
    (one, other) =>
      Number(other.id === booZeroId) - Number(one.id === booZeroId) || compare(one.displayName, other.displayName),
  )
}

/** Compares cached keys, because a collator is slow and each burst of events sorts up to ten thousand names. */
function compare(one: string, other: string): number {
  const a = sortKey(one)
  const b = sortKey(other)
  return a < b ? -1 : a > b ? 1 : 0
}

const sortKeys = new Map<string, string>()

/** "Boo 2" sorts before "Boo 10". */
function sortKey(name: string): string {
  let key = sortKeys.get(name)
  if (key === undefined) {
    key = fold(name).replace(/\d+/g, (digits) => digits.padStart(12, '0'))
    if (sortKeys.size > 50_000) sortKeys.clear()
    sortKeys.set(name, key)
  }
  return key
}

function agentRow(agent: Agent): FleetRow {
  return { type: 'agent', key: agent.id, agent }
}
