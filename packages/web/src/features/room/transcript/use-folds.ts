import { useCallback, useState } from 'react'
import { type Fold, withToggled } from './fold-lines.ts'

export interface Folds {
  readonly unfolded: ReadonlySet<number>
  readonly onFold: (fold: Fold) => void
}

/** The open folds. The post named in the address starts unfolded. */
export function useFolds(marked: number | undefined): Folds {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const [markedBefore, setMarkedBefore] = useState<number>()
  if (marked !== markedBefore) {
    // Before rendering, because a hidden scroll target would have no height.
    setMarkedBefore(marked)
    if (marked !== undefined) setUnfolded(new Set([...unfolded, marked]))
  }
  const onFold = useCallback((fold: Fold) => setUnfolded((now) => withToggled(now, fold)), [])
  return { unfolded, onFold }
}
