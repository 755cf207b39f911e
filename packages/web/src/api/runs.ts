import type { LiveEvent } from '@clawboo/api'
import type { OperationInput } from '@clawboo/api/client'
import type { RunRecord } from '@clawboo/core/executor'
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { applyToRuns, hasEndedSince } from '../live/apply-run-events.ts'
import { eventFeed } from '../live/event-feed.ts'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'

export interface RunFilter {
  readonly agentId?: string
  readonly outcome?: NonNullable<OperationInput<'listRuns'>['query']>['outcome']
  readonly state?: RunRecord['state']
}

interface RunPage {
  readonly runs: readonly RunRecord[]
  readonly hasMore: boolean
}

const RUNS_A_PAGE = 50

const runsKey = ['runs'] as const
const runKey = (runId: string) => ['run', runId] as const

export function useRuns(filter: RunFilter) {
  return useInfiniteQuery({
    queryKey: [...runsKey, filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<RunPage> => {
      const query = { ...filter, limit: RUNS_A_PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) }
      return eventFeed.catchUp(
        () => client.listRuns({ query, signal }) as Promise<RunPage>,
        (page, events) => (pageParam === undefined ? newestPage(page, events, filter) : page),
      )
    },
    getNextPageParam: (page) => (page.hasMore ? page.runs.at(-1)?.id : undefined),
  })
}

export function useRun(runId: string, wanted = true) {
  return useQuery({
    queryKey: runKey(runId),
    queryFn: async ({ signal }) => {
      const read = () => client.getRun({ params: { runId }, signal })
      const reading = await eventFeed.catchUp(
        async () => ({ detail: await read(), isOver: false }),
        ({ detail }, events) => ({ detail, isOver: hasEndedSince(detail.run, events) }),
      )
      // An event that arrives during the first request starts no second one.
      return reading.isOver ? read() : reading.detail
    },
    enabled: wanted,
  })
}

export function useStopRun(runId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.stopRun({ params: { runId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: runKey(runId) }),
  })
}

export function patchRuns(queries: QueryClient, events: readonly LiveEvent[]): void {
  const ofRuns = events.flatMap((event) => (event.type === 'run-started' || event.type === 'run-ended' ? [event] : []))
  if (ofRuns.length === 0) return
  for (const { run } of ofRuns) void readAnew(queries, runKey(run.id))
  for (const [key] of queries.getQueriesData<InfiniteData<RunPage>>({ queryKey: runsKey })) {
    queries.setQueryData<InfiniteData<RunPage>>(key, (data) => {
      if (!data) return data
      const known = new Set(data.pages.slice(1).flatMap(({ runs }) => runs.map(({ id }) => id)))
      // A run that started long ago is on a later page and changes there.
      const [newest, ...older] = data.pages
      const pages = older.map((page) => ({
        ...page,
        runs: applyToRuns(page.runs, ofRuns.filter(on(page)), () => true),
      }))
      const fresh = ofRuns.filter(({ run }) => !known.has(run.id))
      return { ...data, pages: [newestPage(newest!, fresh, key[1] as RunFilter), ...pages] }
    })
  }
}

function on(page: RunPage) {
  return ({ run }: { readonly run: RunRecord }) => page.runs.some(({ id }) => id === run.id)
}

function newestPage(page: RunPage, events: readonly LiveEvent[], filter: RunFilter): RunPage {
  const runs = applyToRuns(page.runs, events, (run) => fits(run, filter))
  return runs === page.runs ? page : { ...page, runs }
}

function fits(run: RunRecord, { agentId, outcome, state }: RunFilter): boolean {
  return (
    (agentId === undefined || run.agentId === agentId) &&
    (outcome === undefined || run.outcome === outcome) &&
    (state === undefined || run.state === state)
  )
}
