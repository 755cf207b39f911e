import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useRun } from '../../../api/runs.ts'
import { foldRun } from '../../../live/fold-run.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { RunBlocks } from '../../../shared/run/run-view.tsx'
import { endOfRun, figureWords } from '../../../shared/run/run-words.ts'
import { shownBlocks } from './live-turn.ts'

/** The steps of a run besides its message, loaded on demand. */
export function RunSteps({ runId, message }: { runId: string; message: string }) {
  const { data, error } = useRun(runId)
  const fold = useMemo(() => foldRun(data?.entries ?? []), [data])
  const blocks = useMemo(() => shownBlocks(fold.blocks, [{ body: message }]), [fold, message])
  if (error) return <p className="text-sm text-bad">{readProblem(error, 'the steps').detail}</p>
  if (!data) return <p className="text-sm text-muted">Loading its steps</p>
  const { run } = data
  return (
    <section
      aria-label={`What ${run.agentName} did`}
      className="my-1.5 flex min-w-0 flex-col gap-2 border-l-2 border-line pl-3"
    >
      {blocks.length === 0 ? <p className="text-sm text-muted">No steps besides this message.</p> : null}
      <RunBlocks runId={runId} name={run.agentName} fold={fold} blocks={blocks} end={endOfRun(run, fold)} isReadOnly />
      <p className="text-xs text-muted tabular-nums">
        {run.state === 'ended' ? figureWords(run) : 'Still running'}{' '}
        <Link
          to="/runs/$runId"
          params={{ runId }}
          className="rounded-s text-accent-text underline-offset-2 hover:underline"
        >
          Open the run
        </Link>
      </p>
    </section>
  )
}
