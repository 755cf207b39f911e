import { useRef, useState } from 'react'
import { readStored, writeStored } from './stored-text.ts'

/** What is being typed, kept in the browser under `key` until it is emptied. */
export function useStoredDraft(
  key: string,
): readonly [text: string, type: (next: string) => void, sent: (text: string) => void] {
  const [text, setText] = useState(() => readStored(key) ?? '')
  const newest = useRef(text)
  const type = (next: string) => {
    newest.current = next
    writeStored(key, next === '' ? null : next)
    setText(next)
  }
  /** Empties it, unless somebody typed on while it was sent. */
  const sent = (words: string) => {
    if (newest.current === words) type('')
  }
  return [text, type, sent]
}
