import { type FormEvent, useState } from 'react'
import { fieldProblems, writeProblem } from '../../api/problem-words.ts'
import { type Team, useUpdateTeam } from '../../api/teams.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'

export function EditTeamForm({ team, onClose }: { team: Team; onClose: () => void }) {
  const [name, setName] = useState(team.name)
  const [description, setDescription] = useState(team.description ?? '')
  const update = useUpdateTeam(team.id)
  const problems = fieldProblems(update.error)
  const save = (event: FormEvent) => {
    event.preventDefault()
    const words = description.trim()
    const patch = {
      ...(name === team.name ? {} : { name }),
      ...(words === (team.description ?? '') ? {} : { description: words === '' ? null : words }),
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
      {update.error && Object.keys(problems).length === 0 ? (
        <p role="alert" className="text-sm text-bad">
          {writeProblem(update.error)}
        </p>
      ) : null}
      <div className="flex gap-2">
        <Button type="submit" kind="primary" disabled={update.isPending}>
          {update.isPending ? 'Saving' : 'Save'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}
