import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'
import type { Fleet } from './fleet.ts'
import { FRESH, operationKey, useChange, useOperation } from './operation.ts'

export type Connection = OperationOutput<'getConnection'>
export type FoundUpstream = OperationOutput<'findUpstreams'>['upstreams'][number]
export type ConnectionRequest = OperationInput<'connectSource'>['body']
export type ToolPolicy = OperationOutput<'getToolPolicy'>

const connectionKey = (sourceId: string) => operationKey('getConnection', { params: { sourceId } })
const GONE = { query: { includeArchived: 'true', status: 'archived' } } as const
const goneKey = operationKey('listAgents', GONE)

export function useConnection(sourceId: string) {
  return useOperation('getConnection', { params: { sourceId } })
}

/** No event reports that an upstream started or stopped. */
export function useUpstreams(sourceId: string) {
  return useOperation('findUpstreams', { params: { sourceId } }, { ...FRESH, select: ({ upstreams }) => upstreams })
}

/** The result includes why it is not connected. Not a mutation: a mutation would keep the secret in memory while the page is shown. */
export function useConnect(sourceId: string): (request: ConnectionRequest) => Promise<Connection> {
  const queries = useQueryClient()
  return async (body) => {
    const connection = await client.connectSource({ params: { sourceId }, body })
    queries.setQueryData(connectionKey(sourceId), connection)
    return connection
  }
}

export function useDisconnect(sourceId: string) {
  return useChange(
    () => client.disconnectSource({ params: { sourceId } }),
    (connection, queries) => queries.setQueryData(connectionKey(sourceId), connection),
  )
}

/** The agents of all sources that were deleted upstream. */
export function useGoneAgents() {
  return useOperation('listAgents', GONE, { select: ({ agents }) => agents })
}

export function useRemoveGone(sourceId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.removeGhosts({ params: { sourceId } }),
    // An event may cancel a request in progress, so the known result is applied without one.
    onSuccess: ({ removed }) =>
      queries.setQueryData<Fleet>(
        goneKey,
        (gone) => gone && { ...gone, agents: gone.agents.filter(({ id }) => !removed.includes(id)) },
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: goneKey }),
  })
}

/** The runtime's own models, which change outside Clawboo. */
export function useRuntimeModels(runtimeId: string) {
  return useOperation(
    'listRuntimeModels',
    { params: { runtimeId } },
    { ...FRESH, retry: false, select: ({ models }) => models },
  )
}

/** No event reports changes made at the upstream. */
export function useToolPolicy(sourceId: string) {
  return useOperation('getToolPolicy', { params: { sourceId } }, FRESH)
}

export function useChangeToolPolicy(sourceId: string) {
  return useChange(
    (body: OperationInput<'changeToolPolicy'>['body']) => client.changeToolPolicy({ params: { sourceId }, body }),
    (policy, queries) => queries.setQueryData(operationKey('getToolPolicy', { params: { sourceId } }), policy),
  )
}

export function refreshConnections(queries: QueryClient, events: readonly LiveEvent[]): void {
  const changed = new Set<string>()
  for (const event of events)
    if (event.type === 'source-status' || event.type === 'sync-complete') changed.add(event.sourceId)
  for (const sourceId of changed) {
    void readAnew(queries, connectionKey(sourceId))
    // When the source is back, a runtime with its agents can list its models again.
    void readAnew(queries, operationKey('listRuntimeModels', { params: { runtimeId: sourceId } }))
  }
  if (events.some(({ type }) => type === 'sync-complete' || type === 'agent-archived' || type === 'agent-removed'))
    void readAnew(queries, goneKey)
}
