import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'

export type Limits = OperationOutput<'getLimits'>
export type LimitsPatch = OperationInput<'setLimits'>['body']

const limitsKey = ['limits'] as const

/** Fetched each time it is opened: no event reports spending. */
export function useLimits() {
  return useQuery({ queryKey: limitsKey, queryFn: ({ signal }) => client.getLimits({ signal }), staleTime: 0 })
}

export function useSetLimits() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: LimitsPatch) => client.setLimits({ body }),
    onSuccess: (limits) => queries.setQueryData<Limits>(limitsKey, limits),
  })
}

export function refreshLimits(queries: QueryClient): Promise<void> {
  return readAnew(queries, limitsKey)
}
