import { useEffect, useId, useRef } from 'react'
import type { IconName } from './icon.tsx'

/** An action that the palette lists. */
export interface Action {
  readonly id: string
  readonly title: string
  readonly icon: IconName
  /** The group it belongs to, shown in grey after the title. */
  readonly place?: string
  readonly keys?: string
  readonly run: () => void
}

const pages = new Map<string, () => readonly Action[]>()

/** Adds a page's own actions to the palette while the page is shown. */
export function usePageActions(actions: readonly Action[]): void {
  const id = useId()
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    pages.set(id, () => current.current)
    return () => {
      pages.delete(id)
    }
  }, [id])
}

export function currentPageActions(): readonly Action[] {
  return [...pages.values()].flatMap((read) => read())
}
