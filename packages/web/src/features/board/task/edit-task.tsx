import type { BoardTask } from '@clawboo/core/board'
import { type FormEvent, useState } from 'react'
import { type TaskPatch, useUpdateTask } from '../../../api/tasks.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { formProblems } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { FormActions } from '../../../ui/button.tsx'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { assigneeOf, choiceOf, type Participants } from '../participants.ts'
import { editKey, readEdit, writeEdit } from './task-draft.ts'
import { TaskFields, type TaskTyping } from './task-fields.tsx'

/** Edits a task. The browser stores the text until it is saved or cancelled, so closing the task loses nothing. */
export function EditTask(props: {
  readonly task: BoardTask
  readonly participants: Participants
  readonly onClose: () => void
}) {
  const { task, onClose } = props
  // Compared with the form's initial values, because someone else may have changed the other fields.
  const [before] = useState(() => typingOf(task))
  const key = editKey(task.id)
  const [typed, setTyped] = useState(() => readEdit(readStored(key), before))
  const [isRestored] = useState(() => writeEdit(before, typed) !== null)
  const update = useUpdateTask(task.id)
  const problems = formProblems(update.error, ['title', 'body', 'priority', 'assignee'])
  const patch = patchOf(before, typed)
  const change = (part: Partial<TaskTyping>) => {
    const next = { ...typed, ...part }
    writeStored(key, writeEdit(before, next))
    setTyped(next)
  }
  const leave = () => {
    writeStored(key, null)
    onClose()
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(patch).length === 0) return leave()
    update.mutate(patch, {
      onSuccess: (saved) => {
        announce(`Saved “${saved.title}”`)
        leave()
      },
    })
  }
  return (
    <form onSubmit={save} noValidate className="flex flex-col gap-4 border-b border-line px-5 py-4">
      {isRestored ? (
        <p className="text-sm text-muted">Your earlier edits are still here. They are not saved yet.</p>
      ) : null}
      <TaskFields
        teamId={task.teamId}
        typed={typed}
        participants={props.participants}
        problems={problems.at}
        onChange={change}
      />
      {'title' in patch || 'body' in patch ? (
        <p className="text-sm text-muted">Evidence for the earlier description no longer counts.</p>
      ) : null}
      <ProblemLine>{problems.rest}</ProblemLine>
      <FormActions saving={update.isPending} onCancel={leave} />
    </form>
  )
}

function typingOf(task: BoardTask): TaskTyping {
  const { title, body, priority, changesFiles } = task
  return { title, body, priority, changesFiles, who: choiceOf(task.assignee) }
}

/** Only the changed fields. */
function patchOf(before: TaskTyping, now: TaskTyping): TaskPatch {
  return {
    ...(now.title === before.title ? {} : { title: now.title }),
    ...(now.body === before.body ? {} : { body: now.body }),
    ...(now.priority === before.priority ? {} : { priority: now.priority }),
    ...(now.changesFiles === before.changesFiles ? {} : { changesFiles: now.changesFiles }),
    ...(now.who === before.who ? {} : { assignee: assigneeOf(now.who) }),
  }
}
