import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { applyToFleet } from '../../live/apply-live-events.ts'
import { readAnew } from '../../live/read-anew.ts'
import { client } from '../client.ts'
import { type Agent, patchFleet, useFleet } from '../fleet.ts'

export type NewAgent = OperationInput<'createAgent'>['body']
export type AgentPatch = OperationInput<'updateAgent'>['body']

/** One Boo, from the fleet if it is there. An archived Boo is requested on its own. */
export function useAgent(agentId: string) {
  const fleet = useFleet()
  const listed = fleet.data?.agents.find((agent) => agent.id === agentId)
  const alone = useQuery({
    queryKey: ['agent', agentId, 'record'],
    queryFn: ({ signal }) => client.getAgent({ params: { agentId }, signal }),
    enabled: fleet.isSuccess && listed === undefined,
  })
  const agent: Agent | undefined = listed ?? alone.data
  const asked = fleet.isSuccess ? alone : fleet
  return { agent, error: agent ? null : asked.error, retry: () => void asked.refetch() }
}

export function useCreateAgent() {
  const show = useShowAgent()
  return useMutation({ mutationFn: (body: NewAgent) => client.createAgent({ body }), onSuccess: show })
}

export function useUpdateAgent(agentId: string) {
  const show = useShowAgent()
  return useMutation({
    mutationFn: (body: AgentPatch) => client.updateAgent({ params: { agentId }, body }),
    onSuccess: show,
  })
}

export function useMoveAgent(agentId: string) {
  const show = useShowAgent()
  return useMutation({
    mutationFn: (runtime: string) => client.moveAgent({ params: { agentId }, body: { runtime } }),
    onSuccess: show,
  })
}

export function useDeleteAgent(agentId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteAgent({ params: { agentId } }),
    onSuccess: () => patchFleet(queries, (fleet) => applyToFleet(fleet, [{ type: 'agent-removed', agentId }])),
  })
}

function useShowAgent() {
  const queries = useQueryClient()
  return (agent: Agent) => patchFleet(queries, (fleet) => applyToFleet(fleet, [{ type: 'agent-upserted', agent }]))
}

/** The contents of a Boo's next turn. Files, skills and programs change without an event, so this is requested each time. */
export function useInspection(agentId: string, version: string) {
  return useQuery({
    queryKey: ['agent', agentId, 'inspection', version],
    queryFn: ({ signal }) => client.inspectAgent({ params: { agentId }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
}

export type Session = OperationOutput<'listAgentSessions'>['sessions'][number]

const ALL = ['sessions'] as const
const sessionsKey = (agentId: string) => [...ALL, agentId] as const

/** Fetched each time the list is shown: no event reports messages sent to the Boo from elsewhere. */
export function useSessions(agentId: string) {
  return useQuery({
    queryKey: sessionsKey(agentId),
    queryFn: async ({ signal }) => (await client.listAgentSessions({ params: { agentId }, signal })).sessions,
    staleTime: 0,
  })
}

/** A run changes its own session. A source that connects or disconnects changes the sessions of all its Boos. */
export function refreshSessions(queries: QueryClient, events: readonly LiveEvent[]): void {
  const ran = new Set(
    events.flatMap((event) => (event.type === 'run-started' || event.type === 'run-ended' ? [event.run.agentId] : [])),
  )
  for (const agentId of ran) void readAnew(queries, sessionsKey(agentId))
  if (events.some(({ type }) => type === 'source-status')) void readAnew(queries, ALL)
}
