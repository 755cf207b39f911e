import { type ComponentType, useEffect, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { useMedia } from '../../../ui/state/use-media.ts'
import { createValueStore, useValue } from '../../../ui/state/value-store.ts'
import type { WorkColumnProps } from './work-column.tsx'

export const WORK_ID = 'room-work'

type State = 'loading' | 'failed' | { readonly Column: ComponentType<WorkColumnProps> }

/** The work column beside a room; its script loads only when it is opened. */
export function WorkBeside(props: WorkColumnProps) {
  const [state, setState] = useState<State>('loading')
  useEffect(() => {
    if (state !== 'loading') return
    let isGone = false
    const settle = (next: State) => {
      if (!isGone) setState(next)
    }
    import('./work-column.tsx').then(
      ({ WorkColumn }) => settle({ Column: WorkColumn }),
      () => settle('failed'),
    )
    return () => {
      isGone = true
    }
  }, [state])
  return (
    <aside id={WORK_ID} aria-label="Work" className="flex w-[300px] shrink-0 flex-col border-l border-line bg-bg">
      {typeof state === 'object' ? (
        <state.Column {...props} />
      ) : state === 'loading' ? (
        <p role="status" className="px-4 pt-3.5 text-sm text-muted">
          Loading the work
        </p>
      ) : (
        <div role="alert" className="flex flex-col items-start gap-2 px-4 pt-3.5 text-sm text-muted">
          <p>Couldn't load the work. The server isn't responding.</p>
          <Button onClick={() => setState('loading')}>Try again</Button>
        </div>
      )}
    </aside>
  )
}

const KEY = 'clawboo.room-work'
const CLOSED = 'closed'

const isOpen = createValueStore<boolean | null>(null)

/** Whether the work column fits, and whether the person wants it; stored in the browser. */
export interface WorkPlace {
  readonly hasRoom: boolean
  readonly isOpen: boolean
  readonly toggle: () => void
}

export function useWorkPlace(): WorkPlace {
  const hasRoom = useMedia('(min-width: 1180px)')
  const wanted = useValue(isOpen) ?? readStored(KEY) !== CLOSED
  return {
    hasRoom,
    isOpen: hasRoom && wanted,
    toggle: () => {
      writeStored(KEY, wanted ? CLOSED : null)
      isOpen.set(!wanted)
    },
  }
}
