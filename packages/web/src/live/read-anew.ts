import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Reads what is shown of this anew, because it has changed. A first reading that is under way may be older than the
 * change and would count as the newest: it is given up.
 */
export async function readAnew(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}
