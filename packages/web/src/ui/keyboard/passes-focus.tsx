import { createContext, type ReactNode, use } from 'react'
import { usePassesFocus } from './focus-place.ts'

/** Moves the focus when the focused element is gone. */
export const FocusHome = createContext<() => void>(() => undefined)

/** Wraps an element that can disappear while it has the focus, and moves the focus when it does. */
export function PassesFocus({ children }: { children: ReactNode }) {
  const box = usePassesFocus<HTMLSpanElement>(use(FocusHome))
  return (
    <span ref={box} className="contents">
      {children}
    </span>
  )
}
