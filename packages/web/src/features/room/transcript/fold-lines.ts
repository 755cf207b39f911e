import { useCallback, useState } from 'react'
import type { RoomPost } from '../../../live/apply-to-room.ts'
import type { PostRow } from './post-rows.ts'

/** Consecutive server lines about one task. */
export interface Fold {
  /** The number of the row that represents the fold: a line that joins it changes no other row. */
  readonly first: number
  readonly last: number
  readonly newest: RoomPost
}

/** A row and its fold; null = the row is not folded. */
export interface FoldedRow extends PostRow {
  readonly fold: Fold | null
}

const FOLDED_WITHIN_MS = 2 * 60_000
/** All folded lines render together with the first one. */
const MOST_LINES = 40

/** Keeps the number of rows, so that a post has the same index whether folded or not. */
export function foldLines(rows: readonly PostRow[]): readonly FoldedRow[] {
  const folded: FoldedRow[] = []
  for (let from = 0; from < rows.length; ) {
    let to = from + 1
    while (to < rows.length && to - from < MOST_LINES && joins(rows[to - 1]!, rows[to]!)) to += 1
    const newest = rows[to - 1]!.post
    const fold = to - from > 1 ? { first: rows[from]!.post.seq, last: newest.seq, newest } : null
    for (const row of rows.slice(from, to)) folded.push({ ...row, fold })
    from = to
  }
  return folded
}

/** Whether the row is hidden behind the first line of its fold. */
export function isHidden({ fold, post }: FoldedRow, unfolded: ReadonlySet<number>): boolean {
  return fold !== null && post.seq !== fold.first && !isUnfolded(fold, unfolded)
}

/** `unfolded` contains any one post number of each open fold. */
export function isUnfolded({ first, last }: Fold, unfolded: ReadonlySet<number>): boolean {
  for (let seq = first; seq <= last; seq++) if (unfolded.has(seq)) return true
  return false
}

export function withToggled(unfolded: ReadonlySet<number>, fold: Fold): ReadonlySet<number> {
  if (!isUnfolded(fold, unfolded)) return new Set([...unfolded, fold.first])
  return new Set([...unfolded].filter((seq) => seq < fold.first || seq > fold.last))
}

function joins(before: PostRow, { post, opensDay, opensUnread }: PostRow): boolean {
  return (
    post.kind === 'system' &&
    before.post.kind === 'system' &&
    post.taskId !== null &&
    post.taskId === before.post.taskId &&
    !opensDay &&
    !opensUnread &&
    post.createdAt - before.post.createdAt < FOLDED_WITHIN_MS
  )
}

/** The open folds. The post named in the address starts unfolded. */
export function useFolds(marked: number | undefined) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const [markedBefore, setMarkedBefore] = useState<number>()
  if (marked !== markedBefore) {
    // Runs before rendering, because a hidden scroll target would have no height.
    setMarkedBefore(marked)
    if (marked !== undefined) setUnfolded(new Set([...unfolded, marked]))
  }
  const onFold = useCallback((fold: Fold) => setUnfolded((now) => withToggled(now, fold)), [])
  return { unfolded, onFold }
}

export type Folds = ReturnType<typeof useFolds>
