import { useEffect, useRef, useState } from 'react'

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
