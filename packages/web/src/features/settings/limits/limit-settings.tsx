import { useId } from 'react'
import { type Limits, useLimits } from '../../../api/limits.ts'
import { Loaded } from '../../../shared/loaded.tsx'
import { ProblemLine } from '../../../shared/problem.tsx'
import { FormActions } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { Section } from '../../../ui/page-header.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import { utcDayWords } from '../../../ui/words/time-words.ts'
import { LIMIT_FIELDS } from './limit-fields.ts'
import { SpentTable } from './spent-table.tsx'
import { useLimitTyping } from './use-limit-typing.ts'

export function LimitSettings() {
  return (
    <Loaded reading={useLimits()} name="the limits" rows={5}>
      {(data) => (
        <>
          <Section
            title="Spent today"
            about={`${utcDayWords(data.day)} (UTC). Includes model calls without a known price.`}
          >
            <SpentTable limits={data} />
          </Section>
          <LimitsForm limits={data} />
        </>
      )}
    </Loaded>
  )
}

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

function LimitsForm({ limits }: { limits: Limits }) {
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

function UnitField(props: {
  readonly name: string
  readonly label: string
  readonly unit: string
  readonly hint: string
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (text: string) => void
}) {
  const id = useId()
  return (
    <div className="grid gap-x-4 gap-y-1 wide:grid-cols-[minmax(0,1fr)_290px]">
      <div>
        <label htmlFor={id} className="text-sm font-[550]">
          {props.label}
        </label>
        <p id={`${id}-hint`} className="text-sm text-muted">
          {props.hint}
        </p>
      </div>
      <div>
        <span className="flex items-center gap-2.5">
          <input
            id={id}
            name={props.name}
            inputMode="decimal"
            autoComplete="off"
            value={props.value}
            onChange={(event) => props.onChange(event.target.value)}
            aria-invalid={props.error ? true : undefined}
            aria-describedby={`${id}-unit ${id}-hint${props.error ? ` ${id}-error` : ''}`}
            className={classNames(
              fieldClass,
              'h-[34px] max-w-[110px] shrink-0 text-right tabular-nums',
              props.error && 'border-bad',
            )}
          />
          <span id={`${id}-unit`} className="text-sm text-muted">
            {props.unit}
          </span>
        </span>
        {props.error ? (
          <p id={`${id}-error`} role="alert" className="mt-1 text-sm text-bad">
            {props.error}
          </p>
        ) : null}
      </div>
    </div>
  )
}
