import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { classNames } from './class-names.ts'

interface FieldFrame {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string
}

export function TextField({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldFrame & InputHTMLAttributes<HTMLInputElement>) {
  const ids = useFieldIds(hint, error)
  return (
    <Field label={label} hint={hint} error={error} ids={ids} className={className}>
      <input {...rest} {...ids.control} className={classNames(fieldClass, fieldHeight, error && 'border-bad')} />
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  className,
  mono = false,
  ...rest
}: FieldFrame & TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly mono?: boolean }) {
  const ids = useFieldIds(hint, error)
  return (
    <Field label={label} hint={hint} error={error} ids={ids} className={className}>
      <textarea
        {...rest}
        {...ids.control}
        className={classNames(fieldClass, 'py-2 leading-normal', mono && 'font-mono text-sm', error && 'border-bad')}
      />
    </Field>
  )
}

export function SelectField({
  label,
  hint,
  error,
  className,
  children,
  ...rest
}: FieldFrame & SelectHTMLAttributes<HTMLSelectElement>) {
  const ids = useFieldIds(hint, error)
  return (
    <Field label={label} hint={hint} error={error} ids={ids} className={className}>
      <select {...rest} {...ids.control} className={classNames(fieldClass, fieldHeight, error && 'border-bad')}>
        {children}
      </select>
    </Field>
  )
}

/** For inputs without a visible label. */
export const fieldClass =
  'w-full min-w-0 rounded-s border border-line-strong bg-surface px-2.5 text-base text-text focus-visible:outline-offset-0 aria-invalid:border-bad'

/** Touch needs a larger target than a pointer. */
export const fieldHeight = 'h-[34px] max-wide:h-10'

interface FieldIds {
  readonly hint: string
  readonly error: string
  readonly control: { readonly id: string; readonly 'aria-invalid'?: true; readonly 'aria-describedby'?: string }
}

function useFieldIds(hint: ReactNode, error: string | undefined): FieldIds {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return {
    hint: `${id}-hint`,
    error: `${id}-error`,
    control: {
      id,
      ...(error ? { 'aria-invalid': true } : {}),
      ...(described ? { 'aria-describedby': described } : {}),
    },
  }
}

function Field(
  props: FieldFrame & { readonly ids: FieldIds; readonly className?: string; readonly children: ReactNode },
) {
  const { label, hint, error, ids, className, children } = props
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={ids.control.id} className="text-sm font-[550]">
        {label}
      </label>
      {children}
      {hint ? (
        <p id={ids.hint} className="text-sm text-muted">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={ids.error} className="text-sm text-bad">
          {error}
        </p>
      ) : null}
    </div>
  )
}
