import type { LiveEvent } from '@clawboo/api'
import type { TaskStatus } from '@clawboo/core/board'
import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { applyToBoard, type Board, type BoardFilter, keepLoaded, withPage } from '../live/apply-to-board.ts'
import { eventFeed } from '../live/event-feed.ts'
import { client } from './client.ts'
import { operationKey, useOperation } from './operation.ts'

export type { Board, BoardColumn, BoardFilter } from '../live/apply-to-board.ts'

const boardKey = (teamId: string, filter: BoardFilter) => ['board', teamId, filter] as const
const PAGE_TASKS = 200

export function useBoard(teamId: string, filter: BoardFilter) {
  const queries = useQueryClient()
  const queryKey = boardKey(teamId, filter)
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      eventFeed.catchUp(
        async () =>
          keepLoaded(
            await client.readBoard({ params: { teamId }, query: filter, signal }),
            queries.getQueryData(queryKey),
          ),
        (board, events) => applyToBoard(board, events, { teamId, filter }),
      ),
    // The current board stays visible while another filter loads, but never in place of another team's board.
    placeholderData: (before, query) => (query?.queryKey[1] === teamId ? before : undefined),
  })
}

export function useMoreOfColumn(teamId: string, filter: BoardFilter) {
  const queries = useQueryClient()
  const key = boardKey(teamId, filter)
  return useMutation({
    mutationFn: (status: TaskStatus) => {
      const last = queries
        .getQueryData<Board>(key)
        ?.columns.find((column) => column.status === status)
        ?.tasks.at(-1)
      const after = last ? { afterPosition: last.position, afterId: last.id } : {}
      return client.readBoardColumn({ params: { teamId, status }, query: { ...filter, ...after, limit: PAGE_TASKS } })
    },
    onSuccess: (page) => queries.setQueryData<Board>(key, (board) => board && withPage(board, page)),
  })
}

/** Finds a team's tasks by part of their title, open tasks first. */
export function useFoundTasks(teamId: string, text: string) {
  return useOperation(
    'readBoard',
    { params: { teamId }, query: { limit: 20, ...(text === '' ? {} : { text }) } },
    {
      staleTime: 0,
      gcTime: 10_000,
      placeholderData: keepPreviousData,
      select: ({ columns }) => columns.flatMap(({ tasks }) => tasks),
    },
  )
}

/** Applies changed tasks to the cached boards, then fetches the boards again: events contain no waits or attempts. */
export function patchBoards(queries: QueryClient, events: readonly LiveEvent[]): void {
  const teams = new Set(events.flatMap((event) => (event.type === 'task-changed' ? [event.task.teamId] : [])))
  const hasRuns = events.some(({ type }) => type === 'run-started' || type === 'run-ended')
  if (teams.size === 0 && !hasRuns) return
  for (const [key] of queries.getQueriesData<Board>({ queryKey: ['board'] })) {
    const [, teamId, filter] = key as ReturnType<typeof boardKey>
    queries.setQueryData<Board>(key, (board) => board && applyToBoard(board, events, { teamId, filter }))
    if (hasRuns || teams.has(teamId)) void readAgain(queries, key)
  }
  for (const [key, detail] of queries.getQueriesData<{ task?: { teamId: string } }>({
    queryKey: operationKey('getTask'),
  })) {
    const isOf = detail?.task && (hasRuns || teams.has(detail.task.teamId))
    if (isOf) void readAgain(queries, key)
  }
}

const REST_MS = 400
const reading = new Set<string>()
const wanted = new Set<string>()

/** Fetches at once, then at most every `REST_MS`: a busy board is neither fetched for each event nor left outdated. */
async function readAgain(queries: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  const name = JSON.stringify(queryKey)
  wanted.add(name)
  if (reading.has(name)) return
  reading.add(name)
  while (wanted.delete(name)) {
    await queries.invalidateQueries({ queryKey, exact: true })
    await new Promise((go) => setTimeout(go, REST_MS))
  }
  reading.delete(name)
}
