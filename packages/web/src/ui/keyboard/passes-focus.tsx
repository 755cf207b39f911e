import { createContext, type ReactNode, use } from 'react'
import { usePassesFocus } from './focus-place.ts'

/** Where the keyboard goes on when what it was on is gone. */
export const FocusHome = createContext<() => void>(() => undefined)

/** For what goes away while it may have the focus: the focus goes on, instead of falling out of the page. */
export function PassesFocus({ children }: { children: ReactNode }) {
  const box = usePassesFocus<HTMLSpanElement>(use(FocusHome))
  return (
    <span ref={box} className="contents">
      {children}
    </span>
  )
}
