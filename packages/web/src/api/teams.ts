import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { applyToFleet, applyToTeams } from '../live/apply-live-events.ts'
import { eventFeed } from '../live/event-feed.ts'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'
import { patchFleet } from './fleet.ts'
import type { Team } from './fleet-types.ts'

export type { Team } from './fleet-types.ts'

type TeamDetail = OperationOutput<'getTeam'>
type NewTeam = OperationInput<'createTeam'>['body']

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
  const show = useShowTeam()
  return useMutation({ mutationFn: (body: NewTeam) => client.createTeam({ body }), onSuccess: show })
}

export function useUpdateTeam(teamId: string) {
  const show = useShowTeam()
  return useMutation({
    mutationFn: (body: OperationInput<'updateTeam'>['body']) => client.updateTeam({ params: { teamId }, body }),
    onSuccess: show,
  })
}

export function useDeleteTeam(teamId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteTeam({ params: { teamId } }),
    onSuccess: () => {
      const gone = [{ type: 'team-removed', teamId }] as const
      patchTeams(queries, (teams) => applyToTeams(teams, gone))
      patchFleet(queries, (fleet) => applyToFleet(fleet, gone))
    },
  })
}

/** Adds a Boo to the team or removes it. */
export function useSetMember(teamId: string) {
  const show = useShowTeam()
  return useMutation({
    mutationFn: ({ agentId, member }: { agentId: string; member: boolean }) => {
      const params = { teamId, agentId }
      return member ? client.addTeamMember({ params }) : client.removeTeamMember({ params })
    },
    onSuccess: show,
  })
}

export function useSetLead(teamId: string) {
  const show = useShowTeam()
  return useMutation({
    mutationFn: (agentId: string | null) => client.setTeamLead({ params: { teamId }, body: { agentId } }),
    onSuccess: show,
  })
}

export function patchTeams(queries: QueryClient, change: (teams: Team[]) => Team[]): void {
  queries.setQueryData<Team[]>(teamsKey, (teams) => (teams ? change(teams) : teams))
}

/** Applies a returned team to the cached teams, and its members to the cached fleet. */
function useShowTeam() {
  const queries = useQueryClient()
  return ({ team, memberIds }: TeamDetail) => {
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
}

export type TeamProject = OperationOutput<'getTeamProject'>

const projectKey = (teamId: string) => ['team-project', teamId] as const

export function useTeamProject(teamId: string) {
  return useQuery({
    queryKey: projectKey(teamId),
    queryFn: ({ signal }) => client.getTeamProject({ params: { teamId }, signal }),
    // A folder can appear or disappear without an event.
    staleTime: 0,
  })
}

export function useSetTeamProject(teamId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: OperationInput<'setTeamProject'>['body']) => client.setTeamProject({ params: { teamId }, body }),
    onSuccess: (project) => queries.setQueryData<TeamProject>(projectKey(teamId), project),
  })
}

/** A team's event does not include its project. */
export function refreshProjects(queries: QueryClient, events: readonly LiveEvent[]): void {
  const teams = new Set(events.flatMap((event) => (event.type === 'team-upserted' ? [event.team.id] : [])))
  for (const teamId of teams) void readAnew(queries, projectKey(teamId))
}
