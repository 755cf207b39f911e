import type { TaskCard, TaskStatus } from '@clawboo/core/board'
import type { Board } from '../../../live/apply-to-board.ts'

/** The board shows the rest. */
export const MOST_CARDS = 30

export interface WorkList {
  /** Open tasks first, newest first. */
  readonly cards: readonly TaskCard[]
  /** The number of open tasks in words. */
  readonly words: { readonly short: string; readonly long: string }
}

const OPEN: readonly TaskStatus[] = ['todo', 'in_progress', 'in_review', 'blocked']
const ENDED: readonly TaskStatus[] = ['done', 'cancelled']

/** Tasks to do, in progress, blocked or in review, and tasks that ended on the day of `now`. Without the backlog. */
export function workOf(board: Board, now: number): WorkList {
  const of = (statuses: readonly TaskStatus[]) => board.columns.filter(({ status }) => statuses.includes(status))
  const open = of(OPEN).flatMap(({ tasks }) => tasks)
  const ended = of(ENDED).flatMap(({ tasks }) => tasks.filter(({ endedAt }) => isSameDay(endedAt, now)))
  const all = [...open.sort(newestFirst), ...ended.sort(newestFirst)]
  // A column is loaded from its top, but the tasks that ended last are at its bottom.
  const isCut = of([...OPEN, ...ENDED]).some(({ hasMore }) => hasMore)
  const isOpenCut = of(OPEN).some(({ hasMore }) => hasMore)
  return {
    cards: all.slice(0, MOST_CARDS),
    words: isCut
      ? {
          short: `${open.length}${isOpenCut ? '+' : ''} open`,
          long: `${isOpenCut ? 'at least ' : ''}${open.length} open`,
        }
      : { short: `${open.length} of ${all.length}`, long: `${open.length} of ${all.length} still open` },
  }
}

function newestFirst(one: TaskCard, other: TaskCard): number {
  return movedAt(other) - movedAt(one) || (one.id < other.id ? 1 : -1)
}

/** Not the last change: a card must not jump with every comment. */
function movedAt({ endedAt, startedAt, createdAt }: TaskCard): number {
  return endedAt ?? startedAt ?? createdAt
}

function isSameDay(at: number | null, now: number): boolean {
  return at !== null && new Date(at).toDateString() === new Date(now).toDateString()
}
