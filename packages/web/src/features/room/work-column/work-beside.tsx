import { Button } from '../../../ui/button.tsx'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { useMedia } from '../../../ui/state/use-media.ts'
import { useModule } from '../../../ui/state/use-module.ts'
import { createValueStore, useValue } from '../../../ui/state/value-store.ts'
import type { WorkColumnProps } from './work-column.tsx'

export const WORK_ID = 'room-work'

/** The work column beside a room; its script loads only when it is opened. */
export function WorkBeside(props: WorkColumnProps) {
  const { loaded, retry } = useModule(() => import('./work-column.tsx'))
  return (
    <aside id={WORK_ID} aria-label="Work" className="flex w-[300px] shrink-0 flex-col border-l border-line bg-bg">
      {typeof loaded === 'object' ? (
        <loaded.WorkColumn {...props} />
      ) : loaded === 'loading' ? (
        <p role="status" className="px-4 pt-3.5 text-sm text-muted">
          Loading the work
        </p>
      ) : (
        <div role="alert" className="flex flex-col items-start gap-2 px-4 pt-3.5 text-sm text-muted">
          <p>Couldn't load the work. The server isn't responding.</p>
          <Button onClick={retry}>Try again</Button>
        </div>
      )}
    </aside>
  )
}

const KEY = 'clawboo.room-work'
const CLOSED = 'closed'

const isOpen = createValueStore<boolean | null>(null)

/** Whether the work column fits, and whether the person wants it; stored in the browser. */
export function useWorkPlace() {
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

export type WorkPlace = ReturnType<typeof useWorkPlace>
