import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

/** A line across the transcript, with text. */
export function Divider({ tone = 'plain', children }: { tone?: 'plain' | 'accent'; children: ReactNode }) {
  return (
    <div
      className={classNames(
        'flex h-9 shrink-0 items-center gap-3 text-xs font-[550]',
        tone === 'accent' ? 'border-accent text-accent-text' : 'border-line text-muted',
      )}
    >
      <span className="flex-1 border-t border-inherit" />
      <span>{children}</span>
      <span className="flex-1 border-t border-inherit" />
    </div>
  )
}
