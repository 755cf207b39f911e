import type { BoardTask, TaskStatus } from '@clawboo/core/board'
import { type ReactNode, useState } from 'react'
import { useMoveTask, useTakeBack } from '../../../api/tasks.ts'
import { announceResult, ProblemLine } from '../../../shared/problem.tsx'
import { problemWords } from '../../../shared/problem-words.ts'
import { STATUS_TITLES } from '../../../shared/task/task-state.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { asksWhy, openTargets } from '../drop-place.ts'
import { ReasonDialog } from '../reason-dialog.tsx'

const HINTS: Readonly<Partial<Record<TaskStatus, string>>> = {
  backlog: 'Does not start',
  todo: 'Starts automatically',
  done: 'Needs evidence',
  blocked: 'Requires a reason',
  cancelled: 'Requires a reason',
}

/** The columns that a person may move the task to. */
export function MoveMenu({ task, onMove }: { task: BoardTask; onMove: (to: TaskStatus) => void }) {
  return (
    <Menu
      label="Move to"
      trigger={
        <Button icon="move" data-move-task>
          Move
          <Icon name="down" size={12} />
        </Button>
      }
      items={openTargets(task).map((to) => ({
        label: STATUS_TITLES[to],
        hint: to === 'todo' && task.status === 'in_progress' ? 'Stops the work. It starts over.' : HINTS[to],
        run: () => void setTimeout(() => fromButton(() => onMove(to))),
      }))}
    />
  )
}

/** A dialog returns the focus to the element that had it when it opened; the menu entry is gone by then. */
function fromButton(act: () => void): void {
  document.querySelector<HTMLElement>('[data-move-task]')?.focus()
  act()
}

export function TakeBack({ task }: { task: BoardTask }) {
  const takeBack = useTakeBack(task.id)
  const take = () =>
    announceResult(
      takeBack.mutateAsync(),
      ({ stopped }) => `${stopped ? 'The work is stopped. ' : ''}“${task.title}” moved to Backlog.`,
      'take it back',
    )
  return (
    <Button
      kind="danger"
      icon="stop"
      aria-disabled={takeBack.isPending}
      title="Stops the work and moves the task to the backlog"
      onClick={() => {
        if (!takeBack.isPending) take()
      }}
    >
      {takeBack.isPending ? 'Taking back' : 'Take back'}
    </Button>
  )
}

/** Moves a task from its own view: asks for a reason if one is required, and shows a refusal. */
export function useMoving(task: BoardTask): { readonly move: (to: TaskStatus) => void; readonly outcome: ReactNode } {
  const [asking, setAsking] = useState<TaskStatus | null>(null)
  const moving = useMoveTask()
  const send = (to: TaskStatus, reason?: string) => {
    setAsking(null)
    moving.mutate(
      { taskId: task.id, to, ...(reason === undefined ? {} : { reason }) },
      {
        onSuccess: ({ warnings }) =>
          announce([`“${task.title}” moved to ${STATUS_TITLES[to]}.`, ...warnings].join(' ')),
      },
    )
  }
  const refusal = moving.error ? problemWords(moving.error, 'move it') : null
  return {
    move: (to) => (asksWhy(to) ? setAsking(to) : send(to)),
    outcome: (
      <>
        <ProblemLine>{refusal}</ProblemLine>
        {asking ? (
          <ReasonDialog
            taskId={task.id}
            title={task.title}
            to={asking === 'blocked' ? 'blocked' : 'cancelled'}
            onClose={() => setAsking(null)}
            onGive={(reason) => send(asking, reason)}
          />
        ) : null}
      </>
    ),
  }
}
