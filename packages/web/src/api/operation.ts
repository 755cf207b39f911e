import type { Client, OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, type UseQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'

type Id = keyof Client

/** The key of an operation's cached result for one input, or of all its results without an input. */
export function operationKey<Op extends Id>(operation: Op, input?: Partial<OperationInput<Op>>): readonly unknown[] {
  return input === undefined ? [operation] : [operation, input]
}

/** The options for data that can change without an event: it is requested each time it is shown. */
export const FRESH = { staleTime: 0 } as const

/** The result of an operation, cached by its input. */
export function useOperation<Op extends Id, Data = OperationOutput<Op>>(
  operation: Op,
  input: OperationInput<Op>,
  options: Omit<UseQueryOptions<OperationOutput<Op>, Error, Data>, 'queryKey' | 'queryFn'> = {},
) {
  return useQuery({
    queryKey: operationKey(operation, input),
    queryFn: ({ signal }) => client[operation]({ ...input, signal }),
    ...options,
  })
}

/** A request that changes something. It counts as done only after `apply` has updated the cached data. */
export function useChange<Out, In = void>(
  send: (input: In) => Promise<Out>,
  apply?: (out: Out, queries: QueryClient) => unknown,
) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: send, onSuccess: (out) => apply?.(out, queries) })
}
