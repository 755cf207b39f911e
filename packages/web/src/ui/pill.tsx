import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Pill({ tone = 'plain', children }: { tone?: Tone | 'outline'; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 max-w-full items-center gap-1.5 truncate rounded-full px-2 text-xs font-[550] whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}

const TONES: Readonly<Record<Tone | 'outline', string>> = {
  plain: 'bg-sunken text-muted',
  outline: 'text-muted shadow-[inset_0_0_0_1px_var(--line-strong)]',
  working: 'bg-working-soft text-working',
  needs: 'bg-needs-soft text-needs',
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
}

export type Tone = 'plain' | 'working' | 'needs' | 'good' | 'bad'
