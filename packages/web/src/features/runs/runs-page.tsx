import { RUN_OUTCOMES, type RunRecord } from '@clawboo/core/executor'
import { getRouteApi, Link } from '@tanstack/react-router'
import { memo, type RefObject, useLayoutEffect, useRef } from 'react'
import { useFleet } from '../../api/fleet.ts'
import { type RunFilter, useRuns } from '../../api/runs.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { Loaded } from '../../shared/loaded.tsx'
import { costWords, durationWords, endDetail, OUTCOME_WORDS, runStateWords } from '../../shared/run/run-words.ts'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { Pill } from '../../ui/pill.tsx'
import { changeSearch } from '../../ui/state/change-search.ts'
import { useNow } from '../../ui/state/use-now.ts'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { ago, exactTime } from '../../ui/words/time-words.ts'
import { type ListPlace, offsetOf, placeAt, type RunsSearch, readRunsSearch } from './runs-search.ts'

const route = getRouteApi('/shell/runs')
const ROW_HEIGHT = 52

export function RunsPage() {
  // The router also passes other parameters of the address.
  const search = readRunsSearch({ ...route.useSearch() })
  const runs = useRuns(filterOf(search))
  const placeKey = JSON.stringify([search.agent, search.outcome])
  const found = runs.data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <>
      <PageHeader title="Runs" sub="Newest first" />
      <RunFilters search={search} />
      <Loaded reading={runs} name="the runs">
        {() =>
          found.length === 0 ? (
            <NoRuns filtered={search.agent !== undefined || search.outcome !== undefined} />
          ) : (
            <RunList
              // Each filter has its own list with its own scroll position.
              key={placeKey}
              placeKey={placeKey}
              runs={found}
              more={runs.hasNextPage}
              loading={runs.isFetchingNextPage}
              onMore={() => void runs.fetchNextPage()}
            />
          )
        }
      </Loaded>
    </>
  )
}

function filterOf({ agent, outcome }: RunsSearch): RunFilter {
  return {
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(outcome === undefined ? {} : outcome === 'running' ? { state: 'running' as const } : { outcome }),
  }
}

function RunFilters({ search }: { search: RunsSearch }) {
  const navigate = route.useNavigate()
  const boos = (useFleet().data?.agents ?? []).filter(({ participantKind }) => participantKind === 'agent')
  const named = [...boos].sort((one, other) => one.displayName.localeCompare(other.displayName))
  const change = (part: RunsSearch) => void navigate(changeSearch(part))
  return (
    <div className="flex shrink-0 flex-wrap gap-x-4 gap-y-2 border-b border-line px-5 py-2.5 text-sm text-muted">
      <FilterSelect
        label="Boo"
        value={search.agent ?? ''}
        onChange={(agent) => change({ agent: agent || undefined })}
        options={[
          ['', 'All'],
          ...(search.agent && !named.some(({ id }) => id === search.agent)
            ? [[search.agent, 'Not found'] as const]
            : []),
          ...named.map((agent) => [agent.id, agent.displayName] as const),
        ]}
      />
      <FilterSelect
        label="Outcome"
        value={search.outcome ?? ''}
        onChange={(outcome) => change({ outcome: (outcome || undefined) as RunsSearch['outcome'] })}
        options={[
          ['', 'All'],
          ['running', 'Running'],
          ...RUN_OUTCOMES.map((outcome) => [outcome, OUTCOME_WORDS[outcome]] as const),
        ]}
      />
    </div>
  )
}

/** The scroll position by filter: Back from a run returns to the same row. */
const places = new Map<string, ListPlace>()

function RunList(props: {
  readonly placeKey: string
  readonly runs: readonly RunRecord[]
  readonly more: boolean
  readonly loading: boolean
  readonly onMore: () => void
}) {
  const { placeKey, runs } = props
  const items: readonly (RunRecord | 'more')[] = props.more ? [...props.runs, 'more'] : props.runs
  const list = useRef<VirtualListHandle>(null)
  useStaysInPlace(list, runs)
  return (
    <VirtualList
      ref={list}
      label="Runs"
      items={items}
      keyOf={keyOf}
      heightOf={() => ROW_HEIGHT}
      initialOffset={offsetOf(places.get(placeKey), runs, ROW_HEIGHT)}
      onScrolled={(offset) => places.set(placeKey, placeAt(offset, runs, ROW_HEIGHT))}
      render={(item) =>
        item === 'more' ? (
          <div className="grid h-full place-items-center">
            <Button kind="quiet" onClick={props.onMore} disabled={props.loading}>
              {props.loading ? 'Loading older runs' : 'Load older runs'}
            </Button>
          </div>
        ) : (
          <RunRow run={item} />
        )
      }
    />
  )
}

/** New rows above must not move the rows being read. */
function useStaysInPlace(list: RefObject<VirtualListHandle | null>, runs: readonly RunRecord[]): void {
  const shown = useRef(runs)
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = runs
    if (before !== runs) list.current?.move((offset) => offsetOf(placeAt(offset, before, ROW_HEIGHT), runs, ROW_HEIGHT))
  }, [list, runs])
}

function keyOf(item: RunRecord | 'more'): string {
  return item === 'more' ? 'more' : item.id
}

const RunRow = memo(function RunRow({ run }: { run: RunRecord }) {
  const now = useNow()
  const agent = useFleet().data?.agents.find(({ id }) => id === run.agentId)
  const state = runStateWords(run)
  const why = run.state === 'ended' ? endDetail(run) : ''
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.id }}
      className="grid h-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-b border-line px-5 hover:bg-bg focus-visible:outline-offset-[-2px] wide:grid-cols-[minmax(0,1fr)_180px_84px_84px_96px]"
    >
      <span className="flex min-w-0 items-center gap-2.5">
        {agent ? <AgentAvatar agent={agent} size={30} /> : <BooAvatar seed={run.agentId} size={30} />}
        <span className="min-w-0">
          <span className="block truncate leading-tight">
            <span className="font-[560]">{run.agentName}</span>
            <span className="text-muted">{`  ${run.prompt.replace(/\s+/g, ' ')}`}</span>
          </span>
          <span className="block truncate text-xs leading-tight text-muted">
            {why || (run.model ?? 'no model yet')}
          </span>
        </span>
      </span>
      <span className="min-w-0 text-right wide:text-left">
        <Pill tone={state.tone}>{state.word}</Pill>
      </span>
      <span className="hidden text-right text-sm text-muted tabular-nums wide:block">
        {costWords(run.costUsd, run.costComplete)}
      </span>
      <span className="hidden text-right text-sm text-muted tabular-nums wide:block">
        {durationWords((run.endedAt ?? Math.max(now, run.startedAt)) - run.startedAt)}
      </span>
      <span className="hidden text-right text-sm text-muted tabular-nums wide:block" title={exactTime(run.startedAt)}>
        {ago(run.startedAt, now)}
      </span>
    </Link>
  )
})

function NoRuns({ filtered }: { filtered: boolean }) {
  return filtered ? (
    <EmptyState title="No runs match">
      <p>Remove a filter to see more.</p>
      <Link to="/runs" className={buttonClass()}>
        Show all runs
      </Link>
    </EmptyState>
  ) : (
    <EmptyState title="No runs yet" seed="runs">
      <p>A run starts when you message a Boo. Each run is kept here with all its steps.</p>
      <Link to="/" className={buttonClass()}>
        Choose a Boo
      </Link>
    </EmptyState>
  )
}
