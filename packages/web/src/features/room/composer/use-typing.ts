import {
  type ChangeEvent,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Agent } from '../../../api/fleet.ts'
import { fold } from '../../../ui/words/search-words.ts'
import { type RoomDraft, withAt, withMention, withoutWordAt, withSkip, withText } from './room-draft.ts'

interface TypingOptions {
  readonly draft: RoomDraft
  readonly boos: readonly Agent[]
  /** Whether the text is being sent. */
  readonly isLocked: boolean
  readonly onChange: (draft: RoomDraft) => void
}

/** The keys in the field: typing, and picking a Boo. */
export function useTyping(options: TypingOptions) {
  const { draft, boos, isLocked, onChange } = options
  const field = useRef<HTMLTextAreaElement>(null)
  const { caret, setCaret, moveCaret } = useCaret(field)
  const put = (next: { readonly draft: RoomDraft; readonly caret: number }) => {
    moveCaret(next.caret)
    onChange(next.draft)
  }
  const pickAt = (place: MentionPlace, boo: Agent) => put(withMention(draft, place, boo))
  const list = useMentionList({ draft, caret, boos, onPick: pickAt })

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (list.onKey(event)) {
      event.preventDefault()
      return
    }
    const { selectionStart, selectionEnd } = event.currentTarget
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.nativeEvent.isComposing
    if (event.key === 'Backspace' && isPlain && selectionStart === selectionEnd && !isLocked) {
      const erased = withoutWordAt(draft, selectionStart)
      if (!erased) return
      event.preventDefault()
      put(erased)
    }
  }
  return {
    field,
    list,
    handlers: {
      onKeyDown,
      onChange: ({ target }: ChangeEvent<HTMLTextAreaElement>) => {
        setCaret(target.selectionEnd)
        onChange(withText(draft, target.value, target.selectionEnd))
      },
      onSelect: ({ currentTarget }: SyntheticEvent<HTMLTextAreaElement>) =>
        setCaret(currentTarget.selectionStart === currentTarget.selectionEnd ? currentTarget.selectionEnd : null),
      onBlur: () => setCaret(null),
    },
    pick: (boo: Agent) => {
      if (list.place) pickAt(list.place, boo)
    },
    /** The pressed button may be gone. On a phone, focus would open the keyboard. */
    goOn: () => {
      if (!matchMedia('(pointer: coarse)').matches) field.current?.focus()
    },
    /** For keyboards without an `@` key. */
    beginMention: () => {
      const area = field.current
      if (!area || isLocked) return
      area.focus()
      put(withAt(draft, area.selectionStart, area.selectionEnd))
    },
    skip: (agentId: string, isSkipped: boolean) => onChange(withSkip(draft, agentId, isSkipped)),
  }
}

/** The cursor's position; null while text is selected or the field has no focus. */
function useCaret(field: RefObject<HTMLTextAreaElement | null>) {
  const [caret, setCaret] = useState<number | null>(null)
  const wanted = useRef<number | null>(null)
  // The field shows the new text only after the render.
  useLayoutEffect(() => {
    if (wanted.current === null) return
    field.current?.setSelectionRange(wanted.current, wanted.current)
    wanted.current = null
  })
  const moveCaret = (at: number) => {
    wanted.current = at
    setCaret(at)
  }
  return { caret, setCaret, moveCaret }
}

/** The Boos that match the typed name, and the keys that choose one. */
function useMentionList(options: {
  readonly draft: RoomDraft
  /** null = text is selected, or the field was never focused. */
  readonly caret: number | null
  readonly boos: readonly Agent[]
  readonly onPick: (place: MentionPlace, boo: Agent) => void
}) {
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

export type MentionList = ReturnType<typeof useMentionList>

/** A name being typed, from its `@` to the cursor. */
interface MentionPlace {
  readonly at: number
  readonly end: number
  readonly query: string
}

const LONGEST_QUERY = 60

/** The mention being typed at the cursor; null = none. An address such as a@b is not a mention. */
export function mentionPlace({ text, mentions }: RoomDraft, caret: number): MentionPlace | null {
  const at = text.lastIndexOf('@', caret - 1)
  if (at < 0 || caret - at > LONGEST_QUERY) return null
  if (mentions.some((mention) => mention.at === at)) return null
  if (/[\p{L}\p{N}_]$/u.test(text.slice(0, at))) return null
  const query = text.slice(at + 1, caret)
  return /[\n\r]|^\s/.test(query) ? null : { at, end: caret, query }
}

/** The Boos with a matching name, best match first; equal matches keep their order. */
export function foundBoos<Boo extends { readonly displayName: string }>(
  boos: readonly Boo[],
  query: string,
): readonly Boo[] {
  const wanted = fold(query)
  const rank = ({ displayName }: Boo): number => {
    const name = fold(displayName)
    if (name.startsWith(wanted)) return 0
    if (name.split(/[\s._-]+/).some((word) => word.startsWith(wanted))) return 1
    return name.includes(wanted) ? 2 : 3
  }
  return boos
    .map((boo) => ({ boo, rank: rank(boo) }))
    .filter((found) => found.rank < 3)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ boo }) => boo)
}
