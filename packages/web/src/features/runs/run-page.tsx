import { ApiError } from '@clawboo/api/client'
import type { RunDetail } from '@clawboo/core/executor'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { useFleet } from '../../api/fleet.ts'
import { readProblem, writeProblem } from '../../api/problem-words.ts'
import { useRun, useStopRun } from '../../api/runs.ts'
import { seedOf } from '../../ui/agent-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { BooAvatar } from '../../ui/boo-avatar.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { downloadText } from '../../ui/download-text.ts'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../ui/page-states.tsx'
import { Pill } from '../../ui/pill.tsx'
import { foldRun } from '../../ui/run-view/fold-run.ts'
import { RunView } from '../../ui/run-view/run-view.tsx'
import { runStateWords } from '../../ui/run-view/run-words.ts'
import { ReplayBar } from './replay-bar.tsx'
import { RunFacts } from './run-facts.tsx'
import { useReplay } from './use-replay.ts'

const route = getRouteApi('/shell/runs/$runId')

/** One run: its record, replayable, and its facts. */
export function RunPage() {
  const { runId } = route.useParams()
  const run = useRun(runId)
  if (run.data) return <RunRecordView key={runId} detail={run.data} />
  const missing = run.error instanceof ApiError && run.error.code === 'run_not_found'
  return (
    <>
      <PageHeader title="Run" />
      {missing ? (
        <EmptyState title="This run is not here" seed="lost">
          <p>Its Boo may have been deleted, or the address is mistyped.</p>
          <Link to="/runs" className={buttonClass()}>
            All runs
          </Link>
        </EmptyState>
      ) : run.error ? (
        <ErrorState {...readProblem(run.error, 'The run')} onRetry={() => void run.refetch()} />
      ) : (
        <LoadingState what="the run" rows={3} />
      )}
    </>
  )
}

function RunRecordView({ detail }: { detail: RunDetail }) {
  const { run } = detail
  const replay = useReplay(detail.entries)
  const fold = useMemo(() => foldRun(replay.entries), [replay.entries])
  const agent = useFleet().data?.agents.find(({ id }) => id === run.agentId)
  const state = runStateWords(run)
  const exportRecord = () => downloadText(`run-${run.id}.json`, JSON.stringify(detail, null, 2))
  usePageActions([
    { id: 'play-run', title: 'Play the record', icon: 'play', run: replay.play },
    { id: 'export-run', title: 'Export the record as JSON', icon: 'download', run: exportRecord },
  ])
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (replay.playing && fold) end.current?.scrollIntoView({ block: 'end' })
  }, [replay.playing, fold])
  // While it plays the end is not there yet.
  const shown = useMemo(
    () => (replay.atEnd ? run : { ...run, state: 'running' as const, outcome: null }),
    [run, replay.atEnd],
  )
  return (
    <>
      <PageHeader title={`Run of ${run.agentName}`} sub={run.prompt.replace(/\s+/g, ' ').slice(0, 120)}>
        <Pill tone={state.tone}>{state.word}</Pill>
        {run.state === 'running' ? <StopRun runId={run.id} /> : null}
        <Button icon="download" onClick={exportRecord}>
          <span className="max-wide:sr-only">Export</span>
        </Button>
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto wide:grid wide:grid-cols-[minmax(0,1fr)_260px] wide:overflow-hidden">
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
          tabIndex={0}
          className="px-5 py-5 focus-visible:outline-offset-[-2px] wide:min-h-0 wide:overflow-y-auto"
        >
          <div className="mx-auto max-w-[780px]">
            <RunView
              run={shown}
              fold={fold}
              name={run.agentName}
              face={<BooAvatar seed={agent ? seedOf(agent) : run.agentId} size={28} />}
              activity={
                run.state === 'running' ? (
                  <p className="pl-10 text-sm text-working">
                    It still runs. What it does right now is in the conversation.
                  </p>
                ) : null
              }
            />
            <div ref={end} />
          </div>
        </div>
        <aside
          aria-label="Facts"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
          tabIndex={0}
          className="border-line bg-bg px-5 py-5 max-wide:border-t wide:min-h-0 wide:overflow-y-auto wide:border-l"
        >
          <RunFacts run={run} known={agent !== undefined} />
        </aside>
      </div>
      {run.state === 'ended' && detail.entries.length > 0 ? <ReplayBar replay={replay} /> : null}
    </>
  )
}

function StopRun({ runId }: { runId: string }) {
  const stop = useStopRun(runId)
  return (
    <Button
      kind="danger"
      icon="stop"
      disabled={stop.isPending}
      onClick={() =>
        stop.mutate(undefined, {
          onSuccess: () => announce('The run is stopping'),
          onError: (error) => announce(writeProblem(error).replace('Not saved', 'Not stopped'), 'bad'),
        })
      }
    >
      Stop
    </Button>
  )
}
