import type { Blocker } from '@clawboo/core/board'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSetLink } from '../../../api/tasks.ts'
import { Problem } from '../../../shared/problem.tsx'
import { taskState } from '../../../shared/task/task-state.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { usePassesFocus } from '../../../ui/keyboard/focus-place.ts'
import { Pill } from '../../../ui/pill.tsx'
import { Part, type ViewProps } from './panel-frame.tsx'
import { TaskPicker } from './task-picker.tsx'

export function TaskLinks({ detail, team }: ViewProps) {
  const { task, blockers, dependents, children } = detail
  const [isAdding, setAdding] = useState(false)
  const link = useSetLink(task.id)
  const box = usePassesFocus<HTMLDivElement>(() => box.current?.querySelector<HTMLElement>('button, input')?.focus())
  const set = (blocker: { readonly id: string; readonly title: string }, waits: boolean) =>
    link.mutate(
      { blockerId: blocker.id, waits },
      {
        onSuccess: () => {
          if (waits) setAdding(false)
          announce(waits ? `Now waits for “${blocker.title}”` : `It no longer waits for “${blocker.title}”`)
        },
      },
    )
  return (
    <div ref={box}>
      <Part
        title="Waits for"
        action={
          isAdding ? (
            <Button kind="quiet" onClick={() => setAdding(false)}>
              Cancel
            </Button>
          ) : (
            <Button kind="quiet" icon="plus" onClick={() => setAdding(true)}>
              Add
            </Button>
          )
        }
      >
        {isAdding ? (
          <TaskPicker
            teamId={team.id}
            label="Find a task it waits for"
            without={[task.id, ...blockers.map(({ id }) => id)]}
            autoFocus
            onChoose={(chosen) => set(chosen, true)}
          />
        ) : null}
        <Problem error={link.error} action="update the links" />
        {blockers.length === 0 ? (
          <p className="text-muted">None</p>
        ) : (
          <TaskList label="Waits for" tasks={blockers} onRemove={(blocker) => set(blocker, false)} />
        )}
        {dependents.length > 0 ? <Below title="Waiting for this" tasks={dependents} /> : null}
        {children.length > 0 ? <Below title="Subtasks" tasks={children} /> : null}
      </Part>
    </div>
  )
}

function Below({ title, tasks }: { title: string; tasks: readonly Blocker[] }) {
  return (
    <>
      <h4 className="mt-2 text-sm font-semibold text-muted">{title}</h4>
      <TaskList label={title} tasks={tasks} />
    </>
  )
}

function TaskList(props: {
  readonly label: string
  readonly tasks: readonly Blocker[]
  readonly onRemove?: (task: Blocker) => void
}) {
  const { onRemove } = props
  return (
    <ul aria-label={props.label} className="flex flex-col">
      {props.tasks.map((task) => {
        const state = taskState(task)
        return (
          <li key={task.id} className="flex min-h-8 items-center gap-2">
            <Link
              from="/board/$teamId"
              search={(before) => ({ ...before, task: task.id, view: undefined })}
              className="min-w-0 truncate rounded-s text-accent-text underline-offset-2 max-wide:py-[11px] hover:underline"
            >
              {task.title}
            </Link>
            <span className="ml-auto shrink-0">
              <Pill tone={state.tone}>{state.word}</Pill>
            </span>
            {onRemove ? (
              <IconButton icon="close" label={`No longer wait for ${task.title}`} onClick={() => onRemove(task)} />
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}
