import type { LiveEvent } from '@clawboo/api'
import { fleetLeaders } from '@clawboo/core/registry'
import type { Agent, Fleet, Team } from '../api/fleet-types.ts'

/** The fleet after these events. Laying the same events on it twice changes nothing the second time. */
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
  // The server's order; one that comes back after being archived is older than the last.
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

/** The change to one agent; null = it is not in the fleet. */
type Change = (agent: Agent | null) => Agent | null

/** One change per agent, so that a burst costs one pass over the fleet. */
function collectChanges(events: readonly LiveEvent[]): Map<string, Change> {
  const changes = new Map<string, Change>()
  const then = (agentId: string, change: Change) => {
    const before = changes.get(agentId)
    changes.set(agentId, before ? (agent) => change(before(agent)) : change)
  }
  for (const event of events) {
    switch (event.type) {
      case 'agent-upserted': {
        const { agent } = event
        changes.set(agent.id, () => (agent.archivedAt === null ? agent : null))
        break
      }
      case 'agent-status': {
        const { status, statusAt } = event
        then(event.agentId, (agent) => (agent && statusAt >= agent.statusAt ? { ...agent, status, statusAt } : agent))
        break
      }
      case 'agent-archived':
      case 'agent-removed':
        changes.set(event.agentId, () => null)
        break
      case 'team-removed':
      case 'team-upserted':
      case 'agent-file-written':
      case 'sync-complete':
      case 'source-status':
      case 'run-started':
      case 'run-ended':
      case 'message-changed':
      case 'attention-changed':
      case 'limits-changed':
      case 'providers-changed':
      case 'conversation-changed':
      case 'task-changed':
      case 'team-chat-posted':
      case 'exchange-changed':
      case 'speaker-selected':
      case 'turn-bound-hit':
      case 'room-settings-changed':
        break
      default:
        event satisfies never
    }
  }
  return changes
}
