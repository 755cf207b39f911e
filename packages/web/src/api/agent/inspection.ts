import { useQuery } from '@tanstack/react-query'
import { client } from '../client.ts'

/** The contents of a Boo's next turn. Files, skills and programs change without an event, so this is requested each time. */
export function useInspection(agentId: string, version: string) {
  return useQuery({
    queryKey: ['agent', agentId, 'inspection', version],
    queryFn: ({ signal }) => client.inspectAgent({ params: { agentId }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
}
