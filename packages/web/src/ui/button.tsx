import type { ButtonHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonKind = 'plain' | 'primary' | 'quiet' | 'danger' | 'danger-primary'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind
  readonly icon?: IconName
}

export function Button({ kind = 'plain', icon, className, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} className={classNames(buttonClass(kind), className)} {...rest}>
      {icon ? <Icon name={icon} size={14} /> : null}
      {children}
    </button>
  )
}

/** A button that shows only an icon; the label is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon,
  className,
  type = 'button',
  ...rest
}: Omit<ButtonProps, 'kind' | 'children'> & { readonly label: string; readonly icon: IconName }) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={classNames(
        'grid size-8 max-wide:size-10 shrink-0 place-items-center rounded-s text-muted hover:bg-sunken hover:text-text',
        className,
      )}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}

/** For links that look like buttons. */
export function buttonClass(kind: ButtonKind = 'plain'): string {
  return classNames(
    'inline-flex h-[30px] max-wide:h-10 shrink-0 items-center justify-center gap-1.5 rounded-s border px-3 text-sm font-[530] whitespace-nowrap',
    'motion-safe:transition-colors motion-safe:duration-100 disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50',
    KINDS[kind],
  )
}

const KINDS: Readonly<Record<ButtonKind, string>> = {
  plain: 'border-line-strong bg-raised hover:bg-bg',
  primary: 'border-accent bg-accent text-accent-ink hover:brightness-110',
  quiet: 'border-transparent text-muted hover:bg-sunken hover:text-text',
  danger: 'border-line-strong bg-raised text-bad hover:bg-bad-soft',
  'danger-primary': 'border-bad bg-bad text-surface hover:brightness-110',
}

/** Save and Cancel under a form that changes something in place. */
export function FormActions({ saving, onCancel }: { saving: boolean; onCancel: () => void }) {
  return (
    <div className="flex gap-2">
      <Button type="submit" kind="primary" disabled={saving}>
        {saving ? 'Saving' : 'Save'}
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  )
}
