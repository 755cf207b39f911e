import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'

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
