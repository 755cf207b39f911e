import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'

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
