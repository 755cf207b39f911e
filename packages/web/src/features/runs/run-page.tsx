import { ApiError } from '@clawboo/api/client'
import type { RunDetail, RunRecord } from '@clawboo/core/executor'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef } from 'react'
import { useApprovalItems } from '../../api/attention.ts'
import { useFleet } from '../../api/fleet.ts'
import { useRun, useStopRun } from '../../api/runs.ts'
import { useAgentStream } from '../../live/agent-stream.ts'
import { foldRun } from '../../live/fold-run.ts'
import { seedOf } from '../../shared/agent/agent-words.ts'
import { type ApprovalOutcome, approvalOutcomes } from '../../shared/approval/approval-outcome.ts'
import { problemWords, readProblem } from '../../shared/problem-words.ts'
import { RunActivity } from '../../shared/run/run-activity.tsx'
import { RunView } from '../../shared/run/run-view.tsx'
import { endOfRun, runStateWords, withLiveFigures } from '../../shared/run/run-words.ts'
import { focusNextAnswers } from '../../shared/transcript/focus-in-conversation.ts'
import { useStayAtEnd } from '../../shared/transcript/use-stay-at-end.ts'
import { announce } from '../../ui/announcement.tsx'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { focusHeading, usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { FocusHome } from '../../ui/keyboard/passes-focus.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../ui/page-states.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useMedia } from '../../ui/state/use-media.ts'
import { useReplay } from './replay.ts'
import { ReplayBar } from './replay-bar.tsx'
import { RunFacts } from './run-facts.tsx'

const route = getRouteApi('/shell/runs/$runId')

/** One run: its record, replayable, and its facts. */
export function RunPage() {
  const { runId } = route.useParams()
  const run = useRun(runId)
  if (run.data) {
    return <RunRecordView key={runId} detail={run.data} renew={async () => (await run.refetch()).data} />
  }
  const missing = run.error instanceof ApiError && run.error.code === 'run_not_found'
  return (
    <>
      <PageHeader title="Run" />
      {missing ? (
        <EmptyState title="Run not found" seed="lost">
          <p>Its Boo may have been deleted, or the address is wrong.</p>
          <Link to="/runs" className={buttonClass()}>
            All runs
          </Link>
        </EmptyState>
      ) : run.error ? (
        <ErrorState {...readProblem(run.error, 'the run')} onRetry={() => void run.refetch()} />
      ) : (
        <LoadingState what="the run" rows={3} />
      )}
    </>
  )
}

/** A running run is followed live; an ended one can be replayed. */
function RunRecordView({ detail, renew }: { detail: RunDetail; renew: () => Promise<RunDetail | undefined> }) {
  const { run } = detail
  const running = run.state === 'running'
  const live = useAgentStream(run.agentId, running).runs.get(run.id)
  const replay = useReplay(detail.entries)
  const kept = useMemo(() => foldRun(replay.entries), [replay.entries])
  const fold = running && live ? live : kept
  const outcomes = useOutcomes(detail)
  const agent = useFleet().data?.agents.find(({ id }) => id === run.agentId)
  const exportRecord = useRecordActions(detail, renew, replay.play)
  // The end is hidden while the replay plays.
  const shown = useMemo(
    () => (replay.atEnd ? run : { ...run, state: 'running' as const, outcome: null }),
    [run, replay.atEnd],
  )
  return (
    <FocusHome value={focusNextAnswers}>
      <RunHeader run={run} onExport={exportRecord} />
      <RecordAndFacts
        isGrowing={running || replay.playing}
        growth={fold}
        facts={<RunFacts run={withLiveFigures(run, live)} known={agent !== undefined} />}
      >
        <RunView
          run={shown}
          fold={fold}
          name={run.agentName}
          face={<BooAvatar seed={agent ? seedOf(agent) : run.agentId} size={28} eyes={running ? 'working' : 'idle'} />}
          outcomes={outcomes}
          activity={running ? <RunActivity fold={fold} startedAt={run.startedAt} /> : null}
        />
      </RecordAndFacts>
      {!running && detail.entries.length > 0 ? <ReplayBar replay={replay} /> : null}
    </FocusHome>
  )
}

/** The record beside its facts. On a phone the facts follow the record, and both scroll together. */
function RecordAndFacts(props: {
  readonly isGrowing: boolean
  readonly growth: unknown
  readonly facts: ReactNode
  readonly children: ReactNode
}) {
  const page = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stays = useRef(props.isGrowing)
  const isWide = useMedia('(min-width: 720px)')
  useStayAtEnd({
    scroller: isWide ? column : page,
    content,
    stays,
    mayStay: props.isGrowing,
    growth: props.growth,
  })
  return (
    <div
      ref={page}
      className="min-h-0 flex-1 overflow-y-auto wide:grid wide:grid-cols-[minmax(0,1fr)_260px] wide:overflow-hidden"
    >
      <div
        ref={column}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        className="px-5 py-5 focus-visible:outline-offset-[-2px] wide:min-h-0 wide:overflow-y-auto"
      >
        <div ref={content} className="mx-auto max-w-[780px]">
          {props.children}
        </div>
      </div>
      <aside
        aria-label="Facts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        className="border-line bg-bg px-5 py-5 max-wide:border-t wide:min-h-0 wide:overflow-y-auto wide:border-l"
      >
        {props.facts}
      </aside>
    </div>
  )
}

function RunHeader({ run, onExport }: { run: RunRecord; onExport: () => void }) {
  const state = runStateWords(run)
  return (
    <PageHeader title={`Run of ${run.agentName}`} sub={run.prompt.replace(/\s+/g, ' ').slice(0, 120)}>
      <Pill tone={state.tone}>{state.word}</Pill>
      {run.state === 'running' ? <StopRun runId={run.id} /> : null}
      <Button icon="download" onClick={onExport}>
        <span className="max-wide:sr-only">Export</span>
      </Button>
    </PageHeader>
  )
}

function useRecordActions(
  detail: RunDetail,
  renew: () => Promise<RunDetail | undefined>,
  play: () => void,
): () => void {
  const { run } = detail
  const running = run.state === 'running'
  const exportRecord = async () => {
    // The record of a running run that was read earlier is incomplete.
    const whole = running ? await renew() : detail
    downloadText(`run-${run.id}.json`, JSON.stringify(whole ?? detail, null, 2))
  }
  const onExport = () => void exportRecord()
  usePageActions([
    ...(running ? [] : [{ id: 'play-run', title: 'Play the record', icon: 'play' as const, run: play }]),
    { id: 'export-run', title: 'Export the record as JSON', icon: 'download', run: onExport },
  ])
  return onExport
}

/** For an ended run: the outcome of each approval, at any position of the replay. */
function useOutcomes({ run, entries }: RunDetail): ReadonlyMap<string, ApprovalOutcome> | undefined {
  const items = useApprovalItems(run.id)
  return useMemo(() => {
    if (run.state === 'running') return undefined
    const whole = foldRun(entries)
    return approvalOutcomes(whole, endOfRun(run, whole), items)
  }, [run, entries, items])
}

function StopRun({ runId }: { runId: string }) {
  const stop = useStopRun(runId)
  const box = usePassesFocus<HTMLSpanElement>(focusHeading)
  const give = () =>
    stop.mutate(undefined, {
      onSuccess: () => announce('The run is stopping'),
      onError: (error) => announce(problemWords(error, 'stop'), 'bad'),
    })
  return (
    <span ref={box} className="contents">
      <Button
        kind="danger"
        icon="stop"
        aria-disabled={stop.isPending}
        onClick={() => (stop.isPending ? undefined : give())}
      >
        Stop
      </Button>
    </span>
  )
}

/** Downloads a text as a file. */
function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once, because the browser has not read it yet.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
