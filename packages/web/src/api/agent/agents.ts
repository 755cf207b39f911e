import type { OperationInput } from '@clawboo/api/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { applyToFleet } from '../../live/apply-live-events.ts'
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
