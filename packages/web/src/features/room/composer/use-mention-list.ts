import { type KeyboardEvent, useState } from 'react'
import type { Agent } from '../../../api/fleet.ts'
import { foundBoos, type MentionPlace, mentionPlace } from './mention-search.ts'
import type { RoomDraft } from './room-draft.ts'

export interface MentionList {
  /** null = closed. */
  readonly place: MentionPlace | null
  readonly found: readonly Agent[]
  readonly active: number
  readonly setActive: (at: number) => void
  /** Whether the list handled the key. */
  readonly onKey: (event: KeyboardEvent) => boolean
}

/** The Boos that match the typed name, and the keys that choose one. */
export function useMentionList(options: {
  readonly draft: RoomDraft
  /** null = text is selected, or the field was never focused. */
  readonly caret: number | null
  readonly boos: readonly Agent[]
  readonly onPick: (place: MentionPlace, boo: Agent) => void
}): MentionList {
  const { draft, caret, boos, onPick } = options
  const [closedAt, setClosedAt] = useState<number | null>(null)
  const [chosen, setChosen] = useState({ query: '', at: 0 })
  const typed = caret === null ? null : mentionPlace(draft, caret)
  // A different mention, or none, lets the list open again.
  if (closedAt !== null && typed?.at !== closedAt) setClosedAt(null)
  const found = typed === null || typed.at === closedAt ? [] : foundBoos(boos, typed.query)
  const place = found.length === 0 ? null : typed
  const active = chosen.query === (place?.query ?? '') ? Math.min(chosen.at, found.length - 1) : 0
  const setActive = (at: number) => setChosen({ query: place?.query ?? '', at })

  const onKey = (event: KeyboardEvent): boolean => {
    if (!place || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        setActive((active + (event.key === 'ArrowDown' ? 1 : -1) + found.length) % found.length)
        return true
      case 'Enter':
      case 'Tab':
        if (event.shiftKey) return false
        onPick(place, found[active]!)
        return true
      case 'Escape':
        setClosedAt(place.at)
        return true
      default:
        return false
    }
  }
  return { place, found, active, setActive, onKey }
}
