import { useState } from 'react'
import { readStored, writeStored } from './stored-text.ts'

/** What is being typed, kept in the browser under `key` until it is emptied. */
export function useStoredDraft(key: string): readonly [text: string, type: (next: string) => void] {
  const [text, setText] = useState(() => readStored(key) ?? '')
  const type = (next: string) => {
    writeStored(key, next === '' ? null : next)
    setText(next)
  }
  return [text, type]
}
