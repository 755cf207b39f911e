import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

export const runtimeModelsKey = (runtimeId: string) => ['runtime', runtimeId, 'models'] as const

/** The models that a runtime knows itself. Asked each time: they are changed elsewhere. */
export function useRuntimeModels(runtimeId: string) {
  return useQuery({
    queryKey: runtimeModelsKey(runtimeId),
    queryFn: async ({ signal }) => (await client.listRuntimeModels({ params: { runtimeId }, signal })).models,
    staleTime: 0,
    retry: false,
  })
}
