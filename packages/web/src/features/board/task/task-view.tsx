import type { BoardTask, TaskStatus } from '@clawboo/core/board'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TaskAttempt, TaskDetail } from '../../../api/tasks.ts'
import { costWords, durationWords } from '../../../shared/run/run-words.ts'
import { AssigneeLine } from '../../../shared/task/assignee-line.tsx'
import { STATUS_TITLES, taskState, whyWords } from '../../../shared/task/task-state.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { MarkdownText } from '../../../ui/markdown/markdown-text.tsx'
import { usePageActions } from '../../../ui/page-actions.ts'
import { Fact } from '../../../ui/page-header.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { readStored } from '../../../ui/state/stored-text.ts'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago, clockWords, exactTime } from '../../../ui/words/time-words.ts'
import { openTargets } from '../drop-place.ts'
import type { Participants } from '../participants.ts'
import { attemptState, PRIORITY_TITLES } from '../task-words.ts'
import { TaskChanges } from './changes/task-changes.tsx'
import { EditTask } from './edit-task.tsx'
import { PanelFrame, Part, type ViewProps } from './panel-frame.tsx'
import { TaskComments } from './task-comments.tsx'
import { editKey } from './task-draft.ts'
import { TaskEvidence } from './task-evidence.tsx'
import { TaskLinks } from './task-links.tsx'
import { MoveMenu, TakeBack, useMoving } from './task-moves.tsx'

export function TaskView(props: ViewProps) {
  const { detail, view } = props
  const { task } = detail
  const [isEditing, setEditing] = useState(() => readStored(editKey(task.id)) !== null)
  const moving = useMoving(task)
  const lastEnded = detail.attempts.findLast(({ state }) => state !== 'running')
  const edit = () => {
    props.onShow({ view: undefined })
    setEditing(true)
  }
  const closeEdit = () => {
    setEditing(false)
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-edit-task]')?.focus())
  }
  usePageActions([
    { id: 'edit-task', title: 'Edit this task', place: task.title, icon: 'pencil', run: edit },
    ...openTargets(task).map((to) => ({
      id: `move ${to}`,
      title: `Move to ${STATUS_TITLES[to]}`,
      place: task.title,
      icon: 'move' as const,
      run: () => moving.move(to),
    })),
  ])
  return (
    <PanelFrame
      label={`Task ${task.title}`}
      title={task.title}
      isWide={view === 'changes'}
      onClose={props.onClose}
      head={
        <>
          <TaskButtons task={task} onMove={moving.move} onEdit={isEditing ? null : edit} />
          {moving.outcome}
          <ViewTabs {...props} hasChanges={lastEnded !== undefined && task.changesFiles} />
        </>
      }
    >
      {view === 'changes' && lastEnded ? (
        <TaskChanges {...props} attempt={lastEnded} />
      ) : (
        <div className="relative min-h-0 flex-1 overflow-y-auto">
          {isEditing ? (
            <EditTask task={task} participants={props.participants} onClose={closeEdit} />
          ) : (
            <Description {...props} />
          )}
          <TaskLinks {...props} />
          <TaskEvidence detail={detail} />
          <TaskAttempts detail={detail} participants={props.participants} />
          <TaskComments detail={detail} participants={props.participants} />
        </div>
      )}
    </PanelFrame>
  )
}

function TaskButtons(props: {
  readonly task: BoardTask
  readonly onMove: (to: TaskStatus) => void
  /** null while the task is being edited. */
  readonly onEdit: (() => void) | null
}) {
  const { task } = props
  const state = taskState(task)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Pill tone={state.tone}>{state.word}</Pill>
      <MoveMenu task={task} onMove={props.onMove} />
      {task.status === 'in_progress' ? <TakeBack task={task} /> : null}
      {props.onEdit ? (
        <Button icon="pencil" data-edit-task onClick={props.onEdit}>
          Edit
        </Button>
      ) : null}
    </div>
  )
}

function ViewTabs({ view, hasChanges, onShow }: ViewProps & { readonly hasChanges: boolean }) {
  if (!hasChanges) return null
  const tab = (isOn: boolean) =>
    classNames(
      '-mb-[13px] border-b-2 pb-2 max-wide:-mx-1.5 max-wide:px-1.5 max-wide:pt-2.5',
      isOn ? 'border-accent font-[560] text-text' : 'border-transparent text-muted hover:text-text',
    )
  return (
    <nav aria-label="Parts of the task" className="flex gap-5">
      <button
        type="button"
        aria-current={view === 'task' ? 'page' : undefined}
        className={tab(view === 'task')}
        onClick={() => onShow({ view: undefined })}
      >
        Task
      </button>
      <button
        type="button"
        aria-current={view === 'changes' ? 'page' : undefined}
        className={tab(view === 'changes')}
        onClick={() => onShow({ view: 'changes' })}
      >
        Changes
      </button>
    </nav>
  )
}

function Description({ detail, participants }: ViewProps) {
  const { task, wait } = detail
  const why = whyWords(task, wait)
  return (
    <Part title="Description">
      {why === null ? null : (
        <p
          className={classNames(
            'rounded-s px-3 py-2 text-sm whitespace-pre-wrap',
            task.status === 'todo' ? 'bg-sunken text-muted' : 'bg-needs-soft text-needs',
          )}
        >
          {why}
        </p>
      )}
      {task.body.trim() === '' ? <p className="text-muted">No description.</p> : <MarkdownText text={task.body} />}
      <TaskFacts task={task} participants={participants} />
    </Part>
  )
}

function TaskFacts({ task, participants }: { task: BoardTask; participants: Participants }) {
  const now = useNow()
  return (
    <dl className="mt-1 flex flex-col text-sm">
      <Fact term="Assignee">
        <AssigneeLine assignee={task.assignee} participants={participants} />
      </Fact>
      <Fact term="Priority">{PRIORITY_TITLES[task.priority]}</Fact>
      <Fact term="Files">{task.changesFiles ? 'Edits project files' : 'Edits no project files'}</Fact>
      <Fact term="Cost">{costOf(task)}</Fact>
      <Fact term="Asked by">
        <span title={exactTime(task.createdAt)}>
          {`${participants.nameOf(task.source)}, ${ago(task.createdAt, now)}`}
        </span>
      </Fact>
    </dl>
  )
}

function costOf({ attempts, costUsd, status }: BoardTask): string {
  if (attempts === 0) return 'Nothing yet'
  return costUsd === null && status === 'in_progress' ? 'Not known yet' : costWords(costUsd)
}

function TaskAttempts({ detail, participants }: { detail: TaskDetail; participants: Participants }) {
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
