import type { LiveEvent } from '@clawboo/api'
import type { OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { readAnew } from '../../live/read-anew.ts'
import { client } from '../client.ts'

export type Session = OperationOutput<'listAgentSessions'>['sessions'][number]

const ALL = ['sessions'] as const
const sessionsKey = (agentId: string) => [...ALL, agentId] as const

/** Fetched each time the list is shown: no event reports messages sent to the Boo from elsewhere. */
export function useSessions(agentId: string) {
  return useQuery({
    queryKey: sessionsKey(agentId),
    queryFn: async ({ signal }) => (await client.listAgentSessions({ params: { agentId }, signal })).sessions,
    staleTime: 0,
  })
}

/** A run changes its own session. A source that connects or disconnects changes the sessions of all its Boos. */
export function refreshSessions(queries: QueryClient, events: readonly LiveEvent[]): void {
  const ran = new Set(
    events.flatMap((event) => (event.type === 'run-started' || event.type === 'run-ended' ? [event.run.agentId] : [])),
  )
  for (const agentId of ran) void readAnew(queries, sessionsKey(agentId))
  if (events.some(({ type }) => type === 'source-status')) void readAnew(queries, ALL)
}
