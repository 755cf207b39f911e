import { useId } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { fieldClass } from '../../../ui/text-field.tsx'

/** A number field followed by its unit. */
export function UnitField(props: {
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
