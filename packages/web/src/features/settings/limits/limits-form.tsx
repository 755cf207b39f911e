import { type FormEvent, useState } from 'react'
import { type Limits, useSetLimits } from '../../../api/limits.ts'
import { fieldProblems, writeProblem } from '../../../api/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { FormActions } from '../../../ui/form-actions.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { Section } from '../../../ui/page-header.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { LIMIT_FIELDS, type LimitField, readTyped, shownLimit } from './limit-fields.ts'
import { UnitField } from './unit-field.tsx'

const GROUPS = [
  {
    group: 'run',
    title: 'One run',
    about: 'A run that reaches one of these stops. What it did is kept, and it is told under Needs you.',
  },
  {
    group: 'daily',
    title: 'One day',
    about: 'Checked before every model call. What is over it waits for the next day or a higher budget.',
  },
] as const

export function LimitsForm({ limits }: { limits: Limits }) {
  const save = useSetLimits()
  /** Only what was typed; the rest follows the server. */
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const dirty = LIMIT_FIELDS.some(
    (field) => (typed[field.name] ?? shownLimit(limits, field)) !== shownLimit(limits, field),
  )
  const reset = () => {
    setTyped({})
    setProblems({})
    save.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readTyped(typed, limits)
    setProblems(read.problems)
    if (Object.keys(read.problems).length > 0) return
    save.mutate(read.patch, {
      onSuccess: () => {
        reset()
        announce('Saved the limits; they hold from now on')
      },
    })
  }
  const refused = fieldProblems(save.error)
  const elsewhere = save.error && !LIMIT_FIELDS.some(({ name }) => refused[name])
  const fieldFor = (field: LimitField) => (
    <UnitField
      key={field.name}
      label={field.label}
      unit={field.unit}
      hint={field.hint}
      value={typed[field.name] ?? shownLimit(limits, field)}
      error={problems[field.name] ?? refused[field.name]}
      onChange={(text) => setTyped((before) => ({ ...before, [field.name]: text }))}
    />
  )
  return (
    <form onSubmit={submit} noValidate>
      <LeaveGuard isDirty={() => dirty} />
      {GROUPS.map(({ group, title, about }) => (
        <Section key={group} title={title} about={about}>
          {LIMIT_FIELDS.filter((field) => field.group === group).map(fieldFor)}
        </Section>
      ))}
      {dirty || save.error ? (
        <div className="sticky bottom-0 flex flex-col gap-2 border-t border-line bg-surface px-5 py-3">
          <ProblemLine>{elsewhere ? writeProblem(save.error) : null}</ProblemLine>
          <FormActions saving={save.isPending} onCancel={reset} />
        </div>
      ) : null}
    </form>
  )
}
