import type { LiveEvent, LiveEventType } from '@clawboo/api'
import { fleetLeaders } from '@clawboo/core/registry'
import type { Agent, Fleet, Team } from '../api/fleet-types.ts'

/** The fleet after these events. Applying the same events twice changes nothing. */
export function applyToFleet(fleet: Fleet, events: readonly LiveEvent[]): Fleet {
  const changes = collectChanges(events)
  if (changes.size === 0 && !events.some((event) => event.type === 'team-removed')) return fleet
  const goneTeams = new Set(events.flatMap((event) => (event.type === 'team-removed' ? [event.teamId] : [])))
  const agents: Agent[] = []
  for (const agent of fleet.agents) {
    const change = changes.get(agent.id)
    changes.delete(agent.id)
    const next = change ? change(agent) : agent
    if (next) agents.push(next.teamId !== null && goneTeams.has(next.teamId) ? { ...next, teamId: null } : next)
  }
  const added = [...changes.values()].flatMap((change) => change(null) ?? [])
  // The server's order: a restored agent can be older than the last one.
  if (added.length > 0) {
    for (const agent of added) agents.push(agent)
    agents.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
  }
  return { ...fleet, agents, ...fleetLeaders(agents) }
}

export function applyToTeams(teams: readonly Team[], events: readonly LiveEvent[]): Team[] {
  let next = [...teams]
  for (const event of events) {
    if (event.type === 'team-removed') next = next.filter((team) => team.id !== event.teamId)
    if (event.type !== 'team-upserted') continue
    const at = next.findIndex((team) => team.id === event.team.id)
    if (event.team.archivedAt !== null) next = next.filter((team) => team.id !== event.team.id)
    else if (at < 0) next.push(event.team)
    else next[at] = event.team
  }
  return next
}

/** Changes one agent; null = the agent is not in the fleet. */
type Change = (agent: Agent | null) => Agent | null

/** One change per agent, so that a burst of events costs one pass over the fleet. */
type FleetChanges = Map<string, Change>

function changeFurther(changes: FleetChanges, agentId: string, change: Change): void {
  const before = changes.get(agentId)
  changes.set(agentId, before ? (agent) => change(before(agent)) : change)
}

type AddChange<Type extends LiveEventType> = (
  event: Extract<LiveEvent, { readonly type: Type }>,
  changes: FleetChanges,
) => void

/** The change that each event makes to an agent; null = none. A new event type without an entry does not compile. */
const AGENT_CHANGES: { readonly [Type in LiveEventType]: AddChange<Type> | null } = {
  'agent-upserted': ({ agent }, changes) => changes.set(agent.id, () => (agent.archivedAt === null ? agent : null)),
  'agent-status': ({ agentId, status, statusAt }, changes) =>
    changeFurther(changes, agentId, (agent) =>
      agent && statusAt >= agent.statusAt ? { ...agent, status, statusAt } : agent,
    ),
  'agent-archived': ({ agentId }, changes) => changes.set(agentId, () => null),
  'agent-removed': ({ agentId }, changes) => changes.set(agentId, () => null),
  'team-removed': null,
  'team-upserted': null,
  'agent-file-written': null,
  'sync-complete': null,
  'source-status': null,
  'run-started': null,
  'run-ended': null,
  'message-changed': null,
  'attention-changed': null,
  'limits-changed': null,
  'providers-changed': null,
  'conversation-changed': null,
  'task-changed': null,
  'team-chat-posted': null,
  'exchange-changed': null,
  'speaker-selected': null,
  'turn-bound-hit': null,
  'room-settings-changed': null,
}

/** Every type of event that the page listens to. */
export const LIVE_EVENT_TYPES = Object.keys(AGENT_CHANGES) as LiveEventType[]

function collectChanges(events: readonly LiveEvent[]): FleetChanges {
  const changes: FleetChanges = new Map()
  for (const event of events) {
    const addChange = AGENT_CHANGES[event.type] as AddChange<LiveEventType> | null
    addChange?.(event, changes)
  }
  return changes
}
