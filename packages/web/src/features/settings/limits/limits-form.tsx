import type { Limits } from '../../../api/limits.ts'
import { FormActions } from '../../../ui/form-actions.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { Section } from '../../../ui/page-header.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { LIMIT_FIELDS } from './limit-fields.ts'
import { UnitField } from './unit-field.tsx'
import { useLimitTyping } from './use-limit-typing.ts'

const GROUPS = [
  {
    group: 'run',
    title: 'One run',
    about: 'A run stops at any of these limits. Its work is kept and you are told in Needs you.',
  },
  {
    group: 'daily',
    title: 'One day',
    about: 'Checked before every model call. Above it, runs wait for the next day or a higher budget.',
  },
] as const

export function LimitsForm({ limits }: { limits: Limits }) {
  const typing = useLimitTyping(limits)
  return (
    <form
      ref={typing.form}
      onSubmit={typing.submit}
      onFocus={({ target }) => {
        if (target instanceof HTMLInputElement) typing.noteField(target)
      }}
      noValidate
    >
      <LeaveGuard isDirty={() => typing.dirty} />
      {GROUPS.map(({ group, title, about }) => (
        <Section key={group} title={title} about={about}>
          {LIMIT_FIELDS.filter((field) => field.group === group).map((field) => (
            <UnitField
              key={field.name}
              name={field.name}
              label={field.label}
              unit={field.unit}
              hint={field.hint}
              value={typing.textOf(field)}
              error={typing.problemOf(field)}
              onChange={(text) => typing.type(field, text)}
            />
          ))}
        </Section>
      ))}
      {typing.dirty || typing.problem ? (
        <div className="sticky bottom-0 flex flex-col gap-2 border-t border-line bg-surface px-5 py-3">
          <ProblemLine>{typing.problem}</ProblemLine>
          <FormActions saving={typing.saving} onCancel={typing.cancel} />
        </div>
      ) : null}
    </form>
  )
}
