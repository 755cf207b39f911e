import { TASK_PRIORITIES, TASK_TITLE_CHARACTERS, type TaskPriority } from '@clawboo/core/board'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useTeamProject } from '../../../api/teams.ts'
import { SelectField, TextArea, TextField } from '../../../ui/text-field.tsx'
import type { Participants } from '../participants.ts'
import { PRIORITY_TITLES } from '../task-words.ts'

export interface TaskTyping {
  readonly title: string
  readonly body: string
  /** `agent:<id>`, `person:<id>` or empty for unassigned. */
  readonly who: string
  readonly priority: TaskPriority
  readonly changesFiles: boolean
}

export function TaskFields(props: {
  readonly teamId: string
  readonly typed: TaskTyping
  readonly participants: Participants
  readonly problems: Readonly<Record<string, string>>
  readonly onChange: (change: Partial<TaskTyping>) => void
}) {
  const { typed, problems, onChange } = props
  return (
    <>
      <TextField
        label="Title"
        value={typed.title}
        maxLength={TASK_TITLE_CHARACTERS}
        error={problems.title}
        onChange={(event) => onChange({ title: event.target.value })}
        autoFocus
        autoComplete="off"
        required
      />
      <TextArea
        label="Description"
        hint="Describe the work and how to tell it is done. Markdown works."
        rows={6}
        value={typed.body}
        error={problems.body}
        onChange={(event) => onChange({ body: event.target.value })}
      />
      <div className="grid gap-3 wide:grid-cols-2">
        <WhoField {...props} />
        <SelectField
          label="Priority"
          value={typed.priority}
          error={problems.priority}
          onChange={(event) => onChange({ priority: event.target.value as TaskPriority })}
        >
          {TASK_PRIORITIES.toReversed().map((priority) => (
            <option key={priority} value={priority}>
              {PRIORITY_TITLES[priority]}
            </option>
          ))}
        </SelectField>
      </div>
      <FilesField
        teamId={props.teamId}
        checked={typed.changesFiles}
        onChange={(changesFiles) => onChange({ changesFiles })}
      />
    </>
  )
}

function WhoField(props: {
  readonly typed: TaskTyping
  readonly participants: Participants
  readonly problems: Readonly<Record<string, string>>
  readonly onChange: (change: Partial<TaskTyping>) => void
}) {
  const { typed, participants } = props
  const isKnown = typed.who === '' || participants.askable.some(({ value }) => value === typed.who)
  const boos = participants.askable.filter(({ isPerson }) => !isPerson)
  const people = participants.askable.filter(({ isPerson }) => isPerson)
  return (
    <SelectField
      label="Assignee"
      value={typed.who}
      error={props.problems.assignee}
      onChange={(event) => props.onChange({ who: event.target.value })}
    >
      <option value="">Unassigned</option>
      {isKnown ? null : <option value={typed.who}>Not in this team</option>}
      {boos.length > 0 ? (
        <optgroup label="Boos">
          {boos.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </optgroup>
      ) : null}
      <optgroup label="People">
        {people.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </optgroup>
    </SelectField>
  )
}

function FilesField(props: {
  readonly teamId: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}) {
  const id = useId()
  const project = useTeamProject(props.teamId).data
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={props.checked}
        aria-describedby={`${id}-hint`}
        onChange={(event) => props.onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id} className="font-[550]">
          Edits project files
        </label>
        <p id={`${id}-hint`} className="text-sm text-muted">
          {project?.kind === 'none' ? (
            <>
              This team has no project folder, so it works in its Boo’s own folder.{' '}
              <Link
                to="/teams/$teamId"
                params={{ teamId: props.teamId }}
                className="relative text-accent-text underline underline-offset-2 max-wide:after:absolute max-wide:after:inset-x-0 max-wide:after:-inset-y-4"
              >
                Choose one
              </Link>
            </>
          ) : (
            'It works in its own worktree. You review the changes before they are merged.'
          )}
        </p>
      </div>
    </div>
  )
}
