import type { LiveEvent } from '@clawboo/api'
import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'
import type { Agent } from './fleet.ts'

export type Connection = OperationOutput<'getConnection'>
export type FoundUpstream = OperationOutput<'findUpstreams'>['upstreams'][number]
export type ConnectionWish = OperationInput<'connectSource'>['body']

const connectionKey = (sourceId: string) => ['connection', sourceId] as const
const goneKey = ['gone-agents'] as const

export function useConnection(sourceId: string) {
  return useQuery({
    queryKey: connectionKey(sourceId),
    queryFn: ({ signal }) => client.getConnection({ params: { sourceId }, signal }),
  })
}

/** Fetched each time it is shown: no event reports that an upstream started or stopped. */
export function useUpstreams(sourceId: string) {
  return useQuery({
    queryKey: ['upstreams', sourceId],
    queryFn: async ({ signal }) => (await client.findUpstreams({ params: { sourceId }, signal })).upstreams,
    staleTime: 0,
  })
}

/** The result includes why it is not connected. Not a mutation: a mutation would keep the secret in memory while the page is shown. */
export function useConnect(sourceId: string): (wish: ConnectionWish) => Promise<Connection> {
  const keep = useKeepConnection(sourceId)
  return async (body) => {
    const connection = await client.connectSource({ params: { sourceId }, body })
    keep(connection)
    return connection
  }
}

export function useDisconnect(sourceId: string) {
  const keep = useKeepConnection(sourceId)
  return useMutation({ mutationFn: () => client.disconnectSource({ params: { sourceId } }), onSuccess: keep })
}

/** The agents of all sources that were deleted upstream. */
export function useGoneAgents() {
  return useQuery({
    queryKey: goneKey,
    queryFn: async ({ signal }) =>
      (await client.listAgents({ query: { includeArchived: 'true', status: 'archived' }, signal })).agents,
  })
}

export function useRemoveGone(sourceId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.removeGhosts({ params: { sourceId } }),
    // An event may cancel a request in progress, so the known result is applied without one.
    onSuccess: ({ removed }) =>
      queries.setQueryData<readonly Agent[]>(goneKey, (gone) => gone?.filter(({ id }) => !removed.includes(id))),
    onSettled: () => queries.invalidateQueries({ queryKey: goneKey }),
  })
}

export function refreshConnections(queries: QueryClient, events: readonly LiveEvent[]): void {
  const changed = new Set<string>()
  for (const event of events)
    if (event.type === 'source-status' || event.type === 'sync-complete') changed.add(event.sourceId)
  for (const sourceId of changed) {
    void readAnew(queries, connectionKey(sourceId))
    // When the source is back, a runtime with its agents can list its models again.
    void readAnew(queries, runtimeModelsKey(sourceId))
  }
  if (events.some(({ type }) => type === 'sync-complete' || type === 'agent-archived' || type === 'agent-removed'))
    void readAnew(queries, goneKey)
}

function useKeepConnection(sourceId: string) {
  const queries = useQueryClient()
  return (connection: Connection) => queries.setQueryData(connectionKey(sourceId), connection)
}

const runtimeModelsKey = (runtimeId: string) => ['runtime', runtimeId, 'models'] as const

/** The runtime's own models. Fetched each time, because they change outside Clawboo. */
export function useRuntimeModels(runtimeId: string) {
  return useQuery({
    queryKey: runtimeModelsKey(runtimeId),
    queryFn: async ({ signal }) => (await client.listRuntimeModels({ params: { runtimeId }, signal })).models,
    staleTime: 0,
    retry: false,
  })
}

export type ToolPolicy = OperationOutput<'getToolPolicy'>

const policyKey = (sourceId: string) => ['tool-policy', sourceId] as const

/** Fetched each time it is shown: no event reports changes made at the upstream. */
export function useToolPolicy(sourceId: string) {
  return useQuery({
    queryKey: policyKey(sourceId),
    queryFn: ({ signal }) => client.getToolPolicy({ params: { sourceId }, signal }),
    staleTime: 0,
  })
}

export function useChangeToolPolicy(sourceId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: OperationInput<'changeToolPolicy'>['body']) =>
      client.changeToolPolicy({ params: { sourceId }, body }),
    onSuccess: (policy) => queries.setQueryData(policyKey(sourceId), policy),
  })
}
