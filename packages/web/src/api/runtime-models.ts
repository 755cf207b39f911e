import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

export const runtimeModelsKey = (runtimeId: string) => ['runtime', runtimeId, 'models'] as const

/** The runtime's own models. Fetched each time, because they change outside Clawboo. */
export function useRuntimeModels(runtimeId: string) {
  return useQuery({
    queryKey: runtimeModelsKey(runtimeId),
    queryFn: async ({ signal }) => (await client.listRuntimeModels({ params: { runtimeId }, signal })).models,
    staleTime: 0,
    retry: false,
  })
}
