import { ApiError } from '@clawboo/api/client'
import type { RunDetail, RunRecord } from '@clawboo/core/executor'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef } from 'react'
import { useApprovalItems } from '../../api/attention.ts'
import { useFleet } from '../../api/fleet.ts'
import { useRun, useStopRun } from '../../api/runs.ts'
import { useAgentStream } from '../../live/agent-stream.ts'
import { foldRun } from '../../live/fold-run.ts'
import { seedOf } from '../../shared/agent/agent-words.ts'
import { type ApprovalOutcome, approvalOutcomes } from '../../shared/approval/approval-outcome.ts'
import { LoadingPage, MissingPage } from '../../shared/loaded.tsx'
import { announceResult } from '../../shared/problem.tsx'
import { RunActivity } from '../../shared/run/run-activity.tsx'
import { RunView } from '../../shared/run/run-view.tsx'
import { durationWords, endOfRun, runStateWords, withLiveFigures } from '../../shared/run/run-words.ts'
import { focusNextAnswers } from '../../shared/transcript/focus-in-conversation.ts'
import { Transcript } from '../../shared/transcript/transcript.tsx'
import { useTranscript } from '../../shared/transcript/use-transcript.ts'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { focusHeading, usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { FocusHome } from '../../ui/keyboard/passes-focus.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useMedia } from '../../ui/state/use-media.ts'
import { type ReplayControl, SPEEDS, useReplay } from './replay.ts'
import { RunFacts } from './run-facts.tsx'

const route = getRouteApi('/shell/runs/$runId')

export function RunPage() {
  const { runId } = route.useParams()
  const run = useRun(runId)
  if (run.data) {
    return <RunRecordView key={runId} detail={run.data} renew={async () => (await run.refetch()).data} />
  }
  if (run.error instanceof ApiError && run.error.code === 'run_not_found') {
    return <MissingPage name="Run" words="Its Boo was deleted, or the address is wrong." to="/runs" back="All runs" />
  }
  return <LoadingPage title="Run" name="the run" reading={run} />
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
        run={run}
        isGrowing={running || replay.playing}
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
  readonly run: RunRecord
  readonly isGrowing: boolean
  readonly facts: ReactNode
  readonly children: ReactNode
}) {
  const { run, isGrowing } = props
  const entries = useMemo(() => [{ key: run.id }], [run.id])
  const view = useTranscript({
    entries,
    estimatePx: () => RECORD_PX,
    stays: useRef(isGrowing),
    mayStay: isGrowing,
    anchorTo: isGrowing ? 'end' : 'start',
  })
  const isWide = useMedia('(min-width: 720px)')
  const facts = (
    <aside
      aria-label="Facts"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
      tabIndex={0}
      className="border-line bg-bg px-5 py-5 max-wide:border-t wide:w-[260px] wide:shrink-0 wide:overflow-y-auto wide:border-l"
    >
      {props.facts}
    </aside>
  )
  return (
    <div className="flex min-h-0 flex-1">
      <Transcript
        label={`Record of ${run.agentName}`}
        view={view}
        entries={entries}
        render={() => props.children}
        below={isWide ? null : facts}
        newest={!isGrowing || view.isAtEnd ? null : { words: 'Jump to newest', go: view.toEnd }}
      />
      {isWide ? facts : null}
    </div>
  )
}

const RECORD_PX = 600

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
  const give = () => announceResult(stop.mutateAsync(), 'The run is stopping', 'stop')
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

function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once, because the browser has not read it yet.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const STEP_MS = 100

/** Plays the record from any position, at a chosen speed. */
function ReplayBar({ replay }: { replay: ReplayControl }) {
  // A whole number of steps, because a slider cannot be between two, not even at its end.
  const most = Math.max(1, Math.ceil(replay.length / STEP_MS)) * STEP_MS
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-bg px-5 py-2.5">
      {replay.playing ? (
        <Button icon="pause" onClick={replay.pause}>
          Pause
        </Button>
      ) : (
        <Button icon="play" onClick={replay.play}>
          Play
        </Button>
      )}
      <input
        type="range"
        aria-label="Place in the record"
        aria-valuetext={`${durationWords(replay.moment)} of ${durationWords(replay.length)}`}
        min={0}
        max={most}
        step={STEP_MS}
        value={replay.atEnd ? most : Math.round(replay.moment)}
        onChange={(event) => replay.seek(Number(event.target.value))}
        className="min-w-[120px] flex-1 accent-accent"
      />
      <span className="text-sm text-muted tabular-nums">
        {`${durationWords(replay.moment)} of ${durationWords(replay.length)}`}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and a legend that do not fit this row */}
      <div role="group" aria-label="Speed" className="flex gap-1">
        {SPEEDS.map((speed) => (
          <button
            key={speed}
            type="button"
            aria-pressed={replay.speed === speed}
            onClick={() => replay.setSpeed(speed)}
            className={speedClass(replay.speed === speed)}
          >
            {`${speed}×`}
          </button>
        ))}
        <button type="button" onClick={replay.toEnd} className={speedClass(false)}>
          Instant
        </button>
      </div>
    </div>
  )
}

function speedClass(on: boolean): string {
  return classNames(
    'h-[26px] rounded-full border px-2.5 text-sm',
    on ? 'border-text bg-text text-surface' : 'border-line-strong bg-surface text-muted hover:text-text',
  )
}
