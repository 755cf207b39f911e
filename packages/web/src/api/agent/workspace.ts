import type { LiveEvent } from '@clawboo/api'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../../live/read-anew.ts'
import { FRESH, operationKey, useOperation } from '../operation.ts'

export type { WorkspaceEntry, WorkspaceFile, WorkspaceListing } from '@clawboo/core/executor'

/** The keys of everything that is shown of a Boo's workspace. */
const workspaceKeys = (agentId: string) => [
  operationKey('listWorkspace', { params: { agentId } }),
  operationKey('readWorkspaceFile', { params: { agentId } }),
]

export function useWorkspaceFolder(agentId: string, path: string) {
  return useOperation('listWorkspace', { params: { agentId }, query: { path } }, FRESH)
}

export function useWorkspaceFile(agentId: string, path: string) {
  return useOperation('readWorkspaceFile', { params: { agentId }, query: { path } }, { ...FRESH, gcTime: 60_000 })
}

/** Reads the visible part of a Boo's workspace again; rejects when that fails. */
export function useRefreshWorkspace(agentId: string): () => Promise<unknown> {
  const queries = useQueryClient()
  return () =>
    Promise.all(
      workspaceKeys(agentId).map((queryKey) => queries.invalidateQueries({ queryKey }, { throwOnError: true })),
    )
}

/** A run that ended may have changed files in the Boo's workspace. */
export function refreshWorkspaces(queries: QueryClient, events: readonly LiveEvent[]): void {
  const ended = new Set(events.flatMap((event) => (event.type === 'run-ended' ? [event.run.agentId] : [])))
  for (const queryKey of [...ended].flatMap(workspaceKeys)) void readAnew(queries, queryKey)
}
