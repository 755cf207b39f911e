import { useQuery } from '@tanstack/react-query'
import { client } from '../client.ts'

/** What would go into a Boo's next turn. Files, skills and programs change without a word, so it is asked each time. */
export function useInspection(agentId: string, version: string) {
  return useQuery({
    queryKey: ['agent', agentId, 'inspection', version],
    queryFn: ({ signal }) => client.inspectAgent({ params: { agentId }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
}
