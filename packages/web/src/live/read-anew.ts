import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Fetches visible data again after a change. A first request in progress may be older than the change but would count
 * as the newest, so it is cancelled.
 */
export async function readAnew(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}
