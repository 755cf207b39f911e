import type { TaskAssignee } from '@clawboo/core/board'
import { useMemo } from 'react'
import { type Agent, useFleet } from '../../api/fleet.ts'
import { OPERATOR_ID, participantName } from '../../shared/agent/participant-name.ts'

/** The possible assignees, and a lookup for every name. */
export interface Participants {
  /** The team's Boos, then people, by name. */
  readonly askable: readonly { readonly value: string; readonly name: string; readonly isPerson: boolean }[]
  readonly agent: (id: string) => Agent | undefined
  /** A name for any id, even of a deleted participant. */
  readonly nameOf: (who: { readonly kind: string; readonly id: string | null }) => string
}

export function useParticipants(teamId: string): Participants {
  const agents = useFleet().data?.agents
  return useMemo(() => {
    const byId = new Map(agents?.map((agent) => [agent.id, agent]))
    const members = (agents ?? []).filter((agent) => agent.teamId === teamId)
    const named = members
      .map((agent) => {
        const isPerson = agent.participantKind === 'human'
        return { value: `${isPerson ? 'person' : 'agent'}:${agent.id}`, name: agent.displayName, isPerson }
      })
      .sort((one, other) => Number(one.isPerson) - Number(other.isPerson) || one.name.localeCompare(other.name))
    return {
      askable: [...named, { value: `person:${OPERATOR_ID}`, name: 'You', isPerson: true }],
      agent: (id) => byId.get(id),
      nameOf: (who) => participantName(who, who.id === null ? undefined : byId.get(who.id)),
    }
  }, [agents, teamId])
}

export function choiceOf(assignee: TaskAssignee | null): string {
  return assignee === null ? '' : `${assignee.kind}:${assignee.id}`
}

export function assigneeOf(value: string): TaskAssignee | null {
  const at = value.indexOf(':')
  if (at < 0) return null
  return { kind: value.slice(0, at) === 'person' ? 'person' : 'agent', id: value.slice(at + 1) }
}
