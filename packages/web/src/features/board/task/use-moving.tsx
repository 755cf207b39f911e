import type { BoardTask, TaskStatus } from '@clawboo/core/board'
import { type ReactNode, useState } from 'react'
import { useMoveTask } from '../../../api/tasks.ts'
import { problemWords } from '../../../shared/problem-words.ts'
import { STATUS_TITLES } from '../../../shared/task/task-state.ts'
import { announce } from '../../../ui/announcement.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { asksWhy } from '../drop-rule.ts'
import { ReasonDialog } from '../reason-dialog.tsx'

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
