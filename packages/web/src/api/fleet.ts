import type { OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { applyToFleet } from '../live/apply-live-events.ts'
import { eventFeed } from '../live/event-feed.ts'
import { client } from './client.ts'
import type { Fleet } from './fleet-types.ts'
import { useOperation } from './operation.ts'

export type { Agent, Fleet } from './fleet-types.ts'
export type SourceStatus = Fleet['sources'][number]
export type Runtime = OperationOutput<'listRuntimes'>['runtimes'][number]

const fleetKey = ['fleet'] as const

export function useFleet() {
  return useQuery({
    queryKey: fleetKey,
    // Events that arrive during the request may be missing from the response, so they are collected and applied to it.
    queryFn: ({ signal }) =>
      eventFeed.catchUp(
        () => client.listAgents({ signal }),
        (fleet, events) => applyToFleet(fleet, events),
      ),
  })
}

export function patchFleet(queries: QueryClient, change: (fleet: Fleet) => Fleet): void {
  queries.setQueryData<Fleet>(fleetKey, (fleet) => (fleet ? change(fleet) : fleet))
}

export function useRuntimes() {
  return useOperation('listRuntimes', {}, { select: ({ runtimes }) => runtimes })
}

/** Undefined until the runtimes are loaded, and for a runtime that no longer exists. */
export function useRuntime(id: string | undefined): Runtime | undefined {
  return useRuntimes().data?.find((runtime) => runtime.id === id)
}

export function useSyncSource() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (sourceId: string) => client.syncSource({ params: { sourceId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: fleetKey }),
  })
}
