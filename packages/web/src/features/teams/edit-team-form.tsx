import { type FormEvent, useState } from 'react'
import { type Team, useUpdateTeam } from '../../api/teams.ts'
import { fieldProblems, saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { FormActions } from '../../ui/form-actions.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'

export function EditTeamForm({ team, onClose }: { team: Team; onClose: () => void }) {
  // Compared with the form's initial values, because someone else may have changed the other fields.
  const [before] = useState(team)
  const [name, setName] = useState(team.name)
  const [description, setDescription] = useState(team.description ?? '')
  const update = useUpdateTeam(team.id)
  const problems = fieldProblems(update.error)
  const save = (event: FormEvent) => {
    event.preventDefault()
    const words = description.trim()
    const patch = {
      ...(name === before.name ? {} : { name }),
      ...(words === (before.description ?? '') ? {} : { description: words === '' ? null : words }),
    }
    if (Object.keys(patch).length === 0) return onClose()
    update.mutate(patch, {
      onSuccess: (saved) => {
        announce(`Saved ${saved.team.name}`)
        onClose()
      },
    })
  }
  return (
    <form onSubmit={save} noValidate className="flex max-w-[640px] shrink-0 flex-col gap-3 px-5 py-4">
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problems.name}
        autoFocus
        autoComplete="off"
      />
      <TextArea
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        error={problems.description}
        rows={3}
      />
      <ProblemLine>
        {update.error && !problems.name && !problems.description ? saveProblem(update.error) : null}
      </ProblemLine>
      <FormActions saving={update.isPending} onCancel={onClose} />
      <LeaveGuard
        isDirty={() => !update.isSuccess && (name !== before.name || description !== (before.description ?? ''))}
      />
    </form>
  )
}
