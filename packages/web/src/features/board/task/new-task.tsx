import type { BoardTask } from '@clawboo/core/board'
import { type FormEvent, useRef, useState } from 'react'
import { useCreateTask } from '../../../api/tasks.ts'
import type { Team } from '../../../api/teams.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { formProblems } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { SelectField } from '../../../ui/text-field.tsx'
import { assigneeOf, type Participants } from '../participants.ts'
import { EMPTY_DRAFT, type NewTaskDraft, readDraft, writeDraft } from './task-draft.ts'
import { TaskFields } from './task-fields.tsx'
import { TaskPicker } from './task-picker.tsx'

/** Creates a task. The draft is stored by team, so leaving the form loses nothing. */
export function NewTask(props: {
  readonly team: Team
  readonly participants: Participants
  readonly onMade: (taskId: string) => void
  readonly onClose: () => void
}) {
  const { team } = props
  const [draft, change] = useDraft(team.id)
  const { create, submit } = useCreate(team.id, draft, (task) => {
    change(EMPTY_DRAFT)
    announce(`“${task.title}” created`)
    props.onMade(task.id)
  })
  const problems = formProblems(create.error, ['title', 'body', 'priority', 'assignee'])
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex min-h-0 flex-1 flex-col">
      <div className="relative flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4">
        <TaskFields
          teamId={team.id}
          typed={draft}
          participants={props.participants}
          problems={problems.at}
          onChange={(part) => change({ ...draft, ...part })}
        />
        <SelectField
          label="Start in"
          hint={
            draft.status === 'todo'
              ? 'An assigned Boo starts automatically.'
              : 'It stays in the backlog until you move it.'
          }
          value={draft.status}
          onChange={(event) => change({ ...draft, status: event.target.value as NewTaskDraft['status'] })}
        >
          <option value="todo">To do</option>
          <option value="backlog">Backlog</option>
        </SelectField>
        <WaitsFor teamId={team.id} chosen={draft.waitsFor} onChange={(waitsFor) => change({ ...draft, waitsFor })} />
        <ProblemLine>{problems.rest}</ProblemLine>
      </div>
      <div className="flex shrink-0 gap-2 border-t border-line px-5 py-3">
        <Button type="submit" kind="primary" aria-disabled={create.isPending}>
          {create.isPending ? 'Creating' : 'Create task'}
        </Button>
        <Button onClick={props.onClose}>Save draft</Button>
      </div>
    </form>
  )
}

function useCreate(teamId: string, draft: NewTaskDraft, onMade: (task: BoardTask) => void) {
  const create = useCreateTask(teamId)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (create.isPending) return
    const task = await create
      .mutateAsync({
        title: draft.title,
        body: draft.body,
        priority: draft.priority,
        assignee: assigneeOf(draft.who),
        changesFiles: draft.changesFiles,
        status: draft.status,
        blockerIds: draft.waitsFor.map(({ id }) => id),
      })
      // The form shows the error.
      .catch(() => null)
    if (task) onMade(task)
  }
  return { create, submit }
}

function useDraft(teamId: string): [NewTaskDraft, (draft: NewTaskDraft) => void] {
  const key = `clawboo.new-task.${teamId}`
  const [draft, setDraft] = useState(() => readDraft(readStored(key)))
  return [
    draft,
    (next) => {
      writeStored(key, writeDraft(next))
      setDraft(next)
    },
  ]
}

function WaitsFor(props: {
  readonly teamId: string
  readonly chosen: NewTaskDraft['waitsFor']
  readonly onChange: (chosen: NewTaskDraft['waitsFor']) => void
}) {
  const { chosen } = props
  const box = useRef<HTMLFieldSetElement>(null)
  const remove = (id: string) => {
    props.onChange(chosen.filter((one) => one.id !== id))
    box.current?.querySelector('input')?.focus()
  }
  return (
    <fieldset ref={box} className="min-w-0">
      <legend className="mb-1 text-sm font-[550]">Waits for</legend>
      {chosen.length > 0 ? (
        <ul className="mb-2 flex flex-col gap-1">
          {chosen.map(({ id, title }) => (
            <li key={id} className="flex items-center justify-between gap-2 rounded-s bg-bg py-0.5 pr-1 pl-2.5">
              <span className="truncate">{title}</span>
              <IconButton icon="close" label={`Do not wait for ${title}`} onClick={() => remove(id)} />
            </li>
          ))}
        </ul>
      ) : null}
      <TaskPicker
        teamId={props.teamId}
        label="Find a task it waits for"
        without={chosen.map(({ id }) => id)}
        onChoose={({ id, title }) => props.onChange([...chosen, { id, title }])}
      />
    </fieldset>
  )
}
