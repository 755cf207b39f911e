import { ApiError } from '@clawboo/api/client'
import { QueryClient } from '@tanstack/react-query'

/** Cached data stays valid until the event feed reports a change, so nothing is fetched on a timer or on focus. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 30 * 60_000,
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status >= 500,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
