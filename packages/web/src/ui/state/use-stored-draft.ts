import { useCallback, useRef, useState } from 'react'
import { readStored, writeStored } from './stored-text.ts'

type Change = string | ((now: string) => string)

/** Text that the browser stores under `key` until it is empty. */
export function useStoredDraft(
  key: string,
): readonly [text: string, change: (next: Change) => void, sent: (text: string) => void] {
  const [text, setText] = useState(() => readStored(key) ?? '')
  const newest = useRef(text)
  const change = useCallback(
    (next: Change) => {
      newest.current = typeof next === 'string' ? next : next(newest.current)
      writeStored(key, newest.current === '' ? null : newest.current)
      setText(newest.current)
    },
    [key],
  )
  /** Empties the draft unless the person has typed more since sending. */
  const sent = (words: string) => {
    if (newest.current === words) change('')
  }
  return [text, change, sent]
}

/** Appends text below a draft, which stays unchanged. */
export function withAdded(draft: string, more: string): string {
  return draft.trim() === '' ? more : `${draft.trimEnd()}\n\n${more}`
}
