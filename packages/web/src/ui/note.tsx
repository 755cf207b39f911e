import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** One line of important information across the page. */
export function Note(props: {
  readonly tone: 'needs' | 'bad' | 'accent'
  readonly children: ReactNode
  readonly live?: boolean
}) {
  return (
    <div
      role={props.live ? 'status' : undefined}
      className={classNames(
        'flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 px-5 py-2 text-sm',
        props.tone === 'needs' && 'bg-needs-soft text-needs',
        props.tone === 'bad' && 'bg-bad-soft text-bad',
        props.tone === 'accent' && 'bg-accent-soft text-accent-text',
      )}
    >
      {props.children}
    </div>
  )
}

export function NoteButton({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="rounded-s font-semibold underline-offset-2 hover:underline">
      {children}
    </button>
  )
}
