import { useEffect, useRef, useState } from 'react'
import { readStored, writeStored } from '../state/stored-text.ts'
import { createValueStore } from '../state/value-store.ts'

const KEY = 'clawboo.single-keys'

/** Single keys can get in the way of speech input, so a person can switch them off. */
export const singleKeysOn = createValueStore(true)

export function startShortcuts(): void {
  singleKeysOn.set(readStored(KEY) !== 'off')
}

export function switchSingleKeys(on: boolean): void {
  writeStored(KEY, on ? null : 'off')
  singleKeysOn.set(on)
}

/** Runs actions for keys, or for two keys in a row ("g f"), while no text field has the focus and no dialog is open. */
export function useShortcuts(bindings: Readonly<Record<string, () => void>>): void {
  const current = useRef(bindings)
  current.current = bindings
  useEffect(() => {
    let first = ''
    let forget: ReturnType<typeof setTimeout> | undefined
    const onKey = (event: KeyboardEvent) => {
      if (!isFree(event)) return
      const pair = `${first} ${event.key}`
      const run = (first && current.current[pair]) || current.current[event.key]
      clearTimeout(forget)
      first = event.key
      forget = setTimeout(() => {
        first = ''
      }, 1_000)
      if (!run) return
      first = ''
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
      clearTimeout(forget)
    }
  }, [])
}

function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return false
  if (event.key.length === 1 && !singleKeysOn.get()) return false
  if (document.querySelector('dialog[open], [role="menu"], #shell[hidden]')) return false
  // An editor is in a shadow root, where `target` is only its host.
  const target = event.composedPath()[0]
  if (!(target instanceof HTMLElement)) return true
  return !target.isContentEditable && !target.matches('input, textarea, select')
}

const TWICE_WITHIN_MS = 1_500

/** Escape pressed twice stops the run. Returns whether it was pressed once. */
export function useEscapeTwice(active: boolean, stop: () => void): boolean {
  const [escaped, setEscaped] = useState(false)
  const current = useRef(stop)
  current.current = stop
  useEffect(() => {
    if (!active) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let first = false
    const forget = () => {
      clearTimeout(timer)
      first = false
      setEscaped(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented || event.repeat) return
      if (document.querySelector('dialog[open], [role="menu"], #shell[hidden]')) return
      if (first) {
        forget()
        current.current()
        return
      }
      first = true
      setEscaped(true)
      timer = setTimeout(forget, TWICE_WITHIN_MS)
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
      forget()
    }
  }, [active])
  return escaped
}
