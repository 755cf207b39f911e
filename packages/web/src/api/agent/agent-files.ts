import { ApiError, type OperationOutput } from '@clawboo/api/client'
import type { AgentFileName } from '@clawboo/core/registry'
import { type QueryClient, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../../live/read-anew.ts'
import { client } from '../client.ts'
import { operationKey, useOperation } from '../operation.ts'

export type FileEntry = OperationOutput<'listAgentFiles'>['files'][number]
export type FileContent = OperationOutput<'readAgentFile'>
export type RevisionInfo = OperationOutput<'listAgentFileHistory'>['revisions'][number]

/** The newest text of a file, as sent with a refused write. */
export type NewestText = Pick<FileContent, 'revision' | 'content' | 'author' | 'createdAt'>

const HISTORY_PAGE = 50

const listKey = (agentId: string) => operationKey('listAgentFiles', { params: { agentId } })
const fileKey = (agentId: string, fileName: AgentFileName) =>
  operationKey('readAgentFile', { params: { agentId, fileName } })
const historyKey = (agentId: string, fileName: AgentFileName) =>
  operationKey('listAgentFileHistory', { params: { agentId, fileName } })

export function useAgentFiles(agentId: string) {
  return useOperation('listAgentFiles', { params: { agentId } }, { select: ({ files }) => files })
}

export function useAgentFile(agentId: string, fileName: AgentFileName) {
  return useOperation('readAgentFile', { params: { agentId, fileName } })
}

export function useFileRevision(agentId: string, fileName: AgentFileName, revision: number) {
  return useOperation('readAgentFile', { params: { agentId, fileName }, query: { revision } })
}

export function useFileHistory(agentId: string, fileName: AgentFileName) {
  return useInfiniteQuery({
    queryKey: historyKey(agentId, fileName),
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: HISTORY_PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) }
      return (await client.listAgentFileHistory({ params: { agentId, fileName }, query, signal })).revisions
    },
    getNextPageParam: (page) => (page.length < HISTORY_PAGE ? undefined : page.at(-1)?.revision),
  })
}

export function useWriteFile(agentId: string, fileName: AgentFileName) {
  const queries = useQueryClient()
  const key = fileKey(agentId, fileName)
  return useMutation({
    mutationFn: (body: { content: string; baseRevision: number }) =>
      client.writeAgentFile({ params: { agentId, fileName }, body }),
    onSuccess: (written) => {
      queries.setQueryData<FileContent>(key, written)
      void queries.invalidateQueries({ queryKey: listKey(agentId) })
      void queries.invalidateQueries({ queryKey: historyKey(agentId, fileName) })
    },
    onError: (error) => {
      const newest = newestTextOf(error)
      if (!newest) return
      // The refusal includes the newest text, so the page must not show an older one.
      queries.setQueryData<FileContent>(key, (known) =>
        known && known.revision < newest.revision ? { ...known, ...newest } : known,
      )
      void queries.invalidateQueries({ queryKey: key })
      void queries.invalidateQueries({ queryKey: historyKey(agentId, fileName) })
    },
  })
}

export function refreshFiles(queries: QueryClient, written: readonly { agentId: string; name: AgentFileName }[]): void {
  for (const agentId of new Set(written.map((file) => file.agentId))) void readAnew(queries, listKey(agentId))
  for (const { agentId, name } of written) {
    void readAnew(queries, fileKey(agentId, name))
    void readAnew(queries, historyKey(agentId, name))
  }
}

/** The other writer's text if it caused the refusal; null for every other error. */
export function newestTextOf(error: unknown): NewestText | null {
  if (!(error instanceof ApiError) || error.code !== 'file_revision_stale') return null
  const current = error.details.current as NewestText | undefined
  return current && typeof current.content === 'string' ? current : null
}
