import type { LiveEvent } from '@clawboo/api'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../../live/read-anew.ts'
import { client } from '../client.ts'

export type { WorkspaceEntry, WorkspaceFile, WorkspaceListing } from '@clawboo/core/executor'

const workspaceKey = (agentId: string) => ['agent', agentId, 'workspace'] as const

/** One folder of a Boo's workspace. Files change without an event, so the folder is read each time it is opened. */
export function useWorkspaceFolder(agentId: string, path: string) {
  return useQuery({
    queryKey: [...workspaceKey(agentId), 'folder', path],
    queryFn: ({ signal }) => client.listWorkspace({ params: { agentId }, query: { path }, signal }),
    staleTime: 0,
  })
}

export function useWorkspaceFile(agentId: string, path: string) {
  return useQuery({
    queryKey: [...workspaceKey(agentId), 'file', path],
    queryFn: ({ signal }) => client.readWorkspaceFile({ params: { agentId }, query: { path }, signal }),
    staleTime: 0,
    gcTime: 60_000,
  })
}

/** Reads the visible part of a Boo's workspace again; rejects when that fails. */
export function useLookAgain(agentId: string): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: workspaceKey(agentId) }, { throwOnError: true })
}

/** A run that ended may have changed files in the Boo's workspace. */
export function refreshWorkspaces(queries: QueryClient, events: readonly LiveEvent[]): void {
  const ended = new Set(events.flatMap((event) => (event.type === 'run-ended' ? [event.run.agentId] : [])))
  for (const agentId of ended) void readAnew(queries, workspaceKey(agentId))
}
