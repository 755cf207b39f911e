import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import type { QueryClient } from '@tanstack/react-query'
import { applyToFleet } from '../../live/apply-live-events.ts'
import { readAnew } from '../../live/read-anew.ts'
import { client } from '../client.ts'
import { type Agent, patchFleet, useFleet } from '../fleet.ts'
import { FRESH, operationKey, useChange, useOperation } from '../operation.ts'

export type NewAgent = OperationInput<'createAgent'>['body']
export type AgentPatch = OperationInput<'updateAgent'>['body']
export type Session = OperationOutput<'listAgentSessions'>['sessions'][number]

/** One Boo, from the fleet if it is there. An archived Boo is requested on its own. */
export function useAgent(agentId: string) {
  const fleet = useFleet()
  const listed = fleet.data?.agents.find((agent) => agent.id === agentId)
  const isMissing = fleet.isSuccess && listed === undefined
  const alone = useOperation('getAgent', { params: { agentId } }, { enabled: isMissing })
  const agent: Agent | undefined = listed ?? alone.data
  const asked = fleet.isSuccess ? alone : fleet
  return { agent, data: agent, error: agent ? null : asked.error, refetch: asked.refetch }
}

export function useCreateAgent() {
  return useChange((body: NewAgent) => client.createAgent({ body }), showAgent)
}

export function useUpdateAgent(agentId: string) {
  return useChange((body: AgentPatch) => client.updateAgent({ params: { agentId }, body }), showAgent)
}

export function useMoveAgent(agentId: string) {
  return useChange((runtime: string) => client.moveAgent({ params: { agentId }, body: { runtime } }), showAgent)
}

export function useDeleteAgent(agentId: string) {
  return useChange(
    () => client.deleteAgent({ params: { agentId } }),
    (_, queries) => patchFleet(queries, (fleet) => applyToFleet(fleet, [{ type: 'agent-removed', agentId }])),
  )
}

function showAgent(agent: Agent, queries: QueryClient): void {
  patchFleet(queries, (fleet) => applyToFleet(fleet, [{ type: 'agent-upserted', agent }]))
}

const sessionsKey = (agentId: string) => operationKey('listAgentSessions', { params: { agentId } })

/** No event reports messages sent to the Boo from elsewhere. */
export function useSessions(agentId: string) {
  return useOperation('listAgentSessions', { params: { agentId } }, { ...FRESH, select: ({ sessions }) => sessions })
}

/** A run changes its own session. A source that connects or disconnects changes the sessions of all its Boos. */
export function refreshSessions(queries: QueryClient, events: readonly LiveEvent[]): void {
  const ran = new Set(
    events.flatMap((event) => (event.type === 'run-started' || event.type === 'run-ended' ? [event.run.agentId] : [])),
  )
  for (const agentId of ran) void readAnew(queries, sessionsKey(agentId))
  if (events.some(({ type }) => type === 'source-status')) void readAnew(queries, operationKey('listAgentSessions'))
}
