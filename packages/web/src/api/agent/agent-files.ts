import { ApiError, type OperationOutput } from '@clawboo/api/client'
import type { AgentFileName } from '@clawboo/core/registry'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../client.ts'

export type FileEntry = OperationOutput<'listAgentFiles'>['files'][number]
export type FileContent = OperationOutput<'readAgentFile'>
export type RevisionInfo = OperationOutput<'listAgentFileHistory'>['revisions'][number]

/** The newest text of a file, as sent with a refused write. */
export type NewestText = Pick<FileContent, 'revision' | 'content' | 'author' | 'createdAt'>

const HISTORY_PAGE = 50

export const fileKeys = {
  all: (agentId: string) => ['agent', agentId, 'files'] as const,
  one: (agentId: string, name: AgentFileName) => ['agent', agentId, 'files', name] as const,
  history: (agentId: string, name: AgentFileName) => ['agent', agentId, 'files', name, 'history'] as const,
}

export function useAgentFiles(agentId: string) {
  return useQuery({
    queryKey: [...fileKeys.all(agentId), 'list'],
    queryFn: async ({ signal }) => (await client.listAgentFiles({ params: { agentId }, signal })).files,
  })
}

export function useAgentFile(agentId: string, fileName: AgentFileName) {
  return useQuery({
    queryKey: [...fileKeys.one(agentId, fileName), 'newest'],
    queryFn: ({ signal }) => client.readAgentFile({ params: { agentId, fileName }, signal }),
  })
}

export function useFileRevision(agentId: string, fileName: AgentFileName, revision: number) {
  return useQuery({
    // Not below `fileKeys`: a revision never changes, so a write must not make it stale.
    queryKey: ['file-revision', agentId, fileName, revision],
    queryFn: ({ signal }) => client.readAgentFile({ params: { agentId, fileName }, query: { revision }, signal }),
  })
}

export function useFileHistory(agentId: string, fileName: AgentFileName) {
  return useInfiniteQuery({
    queryKey: fileKeys.history(agentId, fileName),
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
  return useMutation({
    mutationFn: (body: { content: string; baseRevision: number }) =>
      client.writeAgentFile({ params: { agentId, fileName }, body }),
    onSuccess: (written) => {
      queries.setQueryData<FileContent>([...fileKeys.one(agentId, fileName), 'newest'], written)
      void queries.invalidateQueries({ queryKey: [...fileKeys.all(agentId), 'list'] })
      void queries.invalidateQueries({ queryKey: fileKeys.history(agentId, fileName) })
    },
    onError: (error) => {
      const newest = newestTextOf(error)
      if (!newest) return
      // The refusal includes the newest text, so the page must not show an older one.
      queries.setQueryData<FileContent>([...fileKeys.one(agentId, fileName), 'newest'], (known) =>
        known && known.revision < newest.revision ? { ...known, ...newest } : known,
      )
      void queries.invalidateQueries({ queryKey: fileKeys.one(agentId, fileName) })
    },
  })
}

/** The other writer's text if it caused the refusal; null for every other error. */
export function newestTextOf(error: unknown): NewestText | null {
  if (!(error instanceof ApiError) || error.code !== 'file_revision_stale') return null
  const current = error.details.current as NewestText | undefined
  return current && typeof current.content === 'string' ? current : null
}
