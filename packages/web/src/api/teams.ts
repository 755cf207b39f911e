import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { applyToFleet, applyToTeams } from '../live/apply-live-events.ts'
import { eventFeed } from '../live/event-feed.ts'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'
import { patchFleet } from './fleet.ts'
import type { Team } from './fleet-types.ts'
import { FRESH, operationKey, useChange, useOperation } from './operation.ts'

export type { Team } from './fleet-types.ts'

const teamsKey = ['teams'] as const

export function useTeams() {
  return useQuery({
    queryKey: teamsKey,
    queryFn: ({ signal }) =>
      eventFeed.catchUp(
        async () => (await client.listTeams({ signal })).teams,
        (teams, events) => applyToTeams(teams, events),
      ),
  })
}

export function useCreateTeam() {
  return useChange((body: OperationInput<'createTeam'>['body']) => client.createTeam({ body }), showTeam)
}

export function useUpdateTeam(teamId: string) {
  return useChange(
    (body: OperationInput<'updateTeam'>['body']) => client.updateTeam({ params: { teamId }, body }),
    showTeam,
  )
}

export function useDeleteTeam(teamId: string) {
  return useChange(
    () => client.deleteTeam({ params: { teamId } }),
    (_, queries) => {
      const gone = [{ type: 'team-removed', teamId }] as const
      patchTeams(queries, (teams) => applyToTeams(teams, gone))
      patchFleet(queries, (fleet) => applyToFleet(fleet, gone))
    },
  )
}

/** Adds a Boo to the team or removes it. */
export function useSetMember(teamId: string) {
  return useChange(({ agentId, member }: { agentId: string; member: boolean }) => {
    const params = { teamId, agentId }
    return member ? client.addTeamMember({ params }) : client.removeTeamMember({ params })
  }, showTeam)
}

export function useSetLead(teamId: string) {
  return useChange((agentId: string | null) => client.setTeamLead({ params: { teamId }, body: { agentId } }), showTeam)
}

export function patchTeams(queries: QueryClient, change: (teams: Team[]) => Team[]): void {
  queries.setQueryData<Team[]>(teamsKey, (teams) => (teams ? change(teams) : teams))
}

/** Applies a returned team to the cached teams, and its members to the cached fleet. */
function showTeam({ team, memberIds }: OperationOutput<'getTeam'>, queries: QueryClient): void {
  patchTeams(queries, (teams) => applyToTeams(teams, [{ type: 'team-upserted', team }]))
  const members = new Set(memberIds)
  patchFleet(queries, (fleet) => ({
    ...fleet,
    agents: fleet.agents.map((agent) => {
      if (members.has(agent.id)) return agent.teamId === team.id ? agent : { ...agent, teamId: team.id }
      return agent.teamId === team.id ? { ...agent, teamId: null } : agent
    }),
  }))
}

export type TeamProject = OperationOutput<'getTeamProject'>

const projectKey = (teamId: string) => operationKey('getTeamProject', { params: { teamId } })

/** A folder can appear or disappear without an event. */
export function useTeamProject(teamId: string) {
  return useOperation('getTeamProject', { params: { teamId } }, FRESH)
}

export function useSetTeamProject(teamId: string) {
  return useChange(
    (body: OperationInput<'setTeamProject'>['body']) => client.setTeamProject({ params: { teamId }, body }),
    (project, queries) => queries.setQueryData<TeamProject>(projectKey(teamId), project),
  )
}

/** A team's event does not include its project. */
export function refreshProjects(queries: QueryClient, events: readonly LiveEvent[]): void {
  const teams = new Set(events.flatMap((event) => (event.type === 'team-upserted' ? [event.team.id] : [])))
  for (const teamId of teams) void readAnew(queries, projectKey(teamId))
}
