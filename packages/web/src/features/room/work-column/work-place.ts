import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { useMedia } from '../../../ui/state/use-media.ts'
import { createValueStore, useValue } from '../../../ui/state/value-store.ts'

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
