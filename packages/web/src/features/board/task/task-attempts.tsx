import { Link } from '@tanstack/react-router'
import type { TaskAttempt, TaskDetail } from '../../../api/tasks.ts'
import { costWords, durationWords } from '../../../shared/run/run-words.ts'
import { Pill } from '../../../ui/pill.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { clockWords, exactTime } from '../../../ui/words/time-words.ts'
import type { Participants } from '../participants.ts'
import { attemptState } from '../task-words.ts'
import { Part } from './panel-frame.tsx'

/** The attempts at a task, with their results and runs. */
export function TaskAttempts({ detail, participants }: { detail: TaskDetail; participants: Participants }) {
  const { attempts } = detail
  return (
    <Part title="Attempts">
      {attempts.length === 0 ? (
        <p className="text-muted">No attempts yet.</p>
      ) : (
        <ul aria-label="Attempts" className="flex flex-col gap-2.5">
          {attempts.toReversed().map((attempt) => (
            <Attempt
              key={attempt.id}
              attempt={attempt}
              name={participants.nameOf({ kind: 'agent', id: attempt.agentId })}
            />
          ))}
        </ul>
      )}
    </Part>
  )
}

function Attempt({ attempt, name }: { attempt: TaskAttempt; name: string }) {
  const now = useNow()
  const state = attemptState(attempt.state)
  const took = durationWords((attempt.endedAt ?? Math.max(now, attempt.startedAt)) - attempt.startedAt)
  return (
    <li className="flex flex-col gap-0.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-[550]">{`${attempt.number}. ${name}`}</span>
        <Pill tone={state.tone}>{state.word}</Pill>
        {attempt.runId === null ? null : (
          <Link
            to="/runs/$runId"
            params={{ runId: attempt.runId }}
            aria-label={`See the run of attempt ${attempt.number}`}
            className="rounded-s text-sm text-accent-text underline-offset-2 max-wide:-my-2.5 max-wide:py-[11px] hover:underline"
          >
            See the run
          </Link>
        )}
      </div>
      <p className="text-sm text-muted tabular-nums" title={exactTime(attempt.startedAt)}>
        {[
          `began ${clockWords(attempt.startedAt, now)}`,
          took,
          ...(attempt.state === 'running' && attempt.costUsd === null ? [] : [costWords(attempt.costUsd)]),
        ].join(' · ')}
      </p>
      {attempt.reason === null ? null : <p className="text-sm whitespace-pre-wrap">{attempt.reason}</p>}
    </li>
  )
}
