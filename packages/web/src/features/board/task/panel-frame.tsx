import { type ReactNode, useEffect, useRef } from 'react'
import type { TaskDetail } from '../../../api/tasks.ts'
import type { Team } from '../../../api/teams.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { isFocusLost, usePassesFocus, whenLost } from '../../../ui/keyboard/focus-place.ts'
import type { BoardSearch } from '../board-search.ts'
import type { Participants } from '../participants.ts'

export interface PanelProps {
  readonly team: Team
  /** `new` = the form for a new task. */
  readonly taskId: string
  readonly view: 'task' | 'changes'
  readonly participants: Participants
  readonly onShow: (change: BoardSearch) => void
  readonly onClose: () => void
}

export type ViewProps = PanelProps & { readonly detail: TaskDetail }

/** The title gets the focus when a task opens, unless something inside already has it. */
export function PanelFrame(props: {
  readonly label: string
  readonly title: string
  readonly isWide?: boolean
  readonly head?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const title = useRef<HTMLHeadingElement>(null)
  // When a form or a button disappears, focus stays in the task.
  const box = usePassesFocus<HTMLElement>(() => whenLost(() => title.current?.focus({ preventScroll: true })))
  useEffect(() => {
    if (isFocusLost() || !box.current?.contains(document.activeElement)) title.current?.focus({ preventScroll: true })
  }, [box])
  return (
    <aside
      ref={box}
      aria-label={props.label}
      className={classNames(
        'flex min-h-0 w-full min-w-0 flex-col bg-surface wide:border-l wide:border-line',
        !props.isWide && 'wide:w-[min(500px,56%)] wide:shrink-0',
      )}
    >
      <div className="flex shrink-0 items-start gap-3 border-b border-line py-3 pr-3 pl-5">
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <h2 ref={title} tabIndex={-1} className="text-lg leading-snug font-[620] outline-none">
            {props.title}
          </h2>
          {props.head}
        </div>
        <IconButton icon="close" label="Close the task" className="-my-1.5 max-wide:-my-2.5" onClick={props.onClose} />
      </div>
      {props.children}
    </aside>
  )
}

export function Part(props: { readonly title: string; readonly action?: ReactNode; readonly children: ReactNode }) {
  return (
    <section aria-label={props.title} className="flex flex-col gap-2 border-b border-line px-5 py-4">
      <div className="flex min-h-6 items-center justify-between gap-3">
        <h3 className="text-sm font-semibold text-muted">{props.title}</h3>
        {props.action ? <span className="-my-2 -mr-3">{props.action}</span> : null}
      </div>
      {props.children}
    </section>
  )
}
