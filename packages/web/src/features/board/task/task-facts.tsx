import type { BoardTask } from '@clawboo/core/board'
import type { ReactNode } from 'react'
import { costWords } from '../../../shared/run/run-words.ts'
import { AssigneeLine } from '../../../shared/task/assignee-line.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago, exactTime } from '../../../ui/words/time-words.ts'
import type { Participants } from '../participants.ts'
import { PRIORITY_TITLES } from '../task-words.ts'

export function TaskFacts({ task, participants }: { task: BoardTask; participants: Participants }) {
  const now = useNow()
  return (
    <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
      <Fact name="Assignee">
        <AssigneeLine assignee={task.assignee} participants={participants} />
      </Fact>
      <Fact name="Priority">{PRIORITY_TITLES[task.priority]}</Fact>
      <Fact name="Files">{task.changesFiles ? 'Edits project files' : 'Edits no project files'}</Fact>
      <Fact name="Cost">{costOf(task)}</Fact>
      <Fact name="Asked by">
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}
