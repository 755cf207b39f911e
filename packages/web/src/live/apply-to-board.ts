import type { LiveEvent } from '@clawboo/api'
import type { OperationOutput } from '@clawboo/api/client'
import type { BoardTask, TaskCard, TaskPriority } from '@clawboo/core/board'

export type Board = OperationOutput<'readBoard'>
export type BoardColumn = Board['columns'][number]

/** The filter of a board, as the server accepts it. */
export interface BoardFilter {
  /** `agent:<id>`, `person:<id>` or `none`. */
  readonly assignee?: string
  readonly priority?: TaskPriority
  readonly text?: string
}

/** A team's board after these events. Repeated and older events change nothing. */
export function applyToBoard(
  board: Board,
  events: readonly LiveEvent[],
  { teamId, filter }: { readonly teamId: string; readonly filter: BoardFilter },
): Board {
  let next = board
  for (const event of events) {
    if (event.type !== 'task-changed' || event.task.teamId !== teamId) continue
    next = withTask(next, event.task, fits(event.task, filter))
  }
  return next
}

/** A newly fetched board with the cards already loaded after each column's first page; events keep those up to date. */
export function keepLoaded(fresh: Board, known: Board | undefined): Board {
  if (!known) return fresh
  const read = new Set(fresh.columns.flatMap(({ tasks }) => tasks.map(({ id }) => id)))
  const columns = fresh.columns.map((column): BoardColumn => {
    const before = known.columns.find(({ status }) => status === column.status)
    const last = column.tasks.at(-1)
    if (!column.hasMore || !last || !before || before.tasks.length <= column.tasks.length) return column
    const behind = before.tasks.filter((card) => inOrder(last, card) < 0 && !read.has(card.id))
    return { ...column, tasks: [...column.tasks, ...behind], hasMore: before.hasMore }
  })
  return { ...fresh, columns }
}

/** A column with another page added to its end. */
export function withPage(board: Board, page: BoardColumn): Board {
  return {
    ...board,
    columns: board.columns.map((column) => {
      if (column.status !== page.status) return column
      const known = new Set(column.tasks.map(({ id }) => id))
      const added = page.tasks.filter(({ id }) => !known.has(id))
      return { ...page, tasks: [...column.tasks, ...added].sort(inOrder) }
    }),
  }
}

export function inOrder(one: TaskCard, other: TaskCard): number {
  return one.position - other.position || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}

function withTask(board: Board, task: BoardTask, isShown: boolean): Board {
  const known = board.columns.flatMap(({ tasks }) => tasks.find(({ id }) => id === task.id) ?? [])[0]
  if (known && known.updatedAt > task.updatedAt) return board
  const { body: _, ...card } = task
  const columns = board.columns.map((column): BoardColumn => {
    const isHere = isShown && column.status === task.status
    if (!isHere && known?.status !== column.status) return column
    const others = column.tasks.filter(({ id }) => id !== task.id)
    return { ...column, tasks: isHere ? insert(others, card, column.hasMore) : others }
  })
  return {
    columns,
    waits: task.status === 'todo' ? board.waits : without(board.waits, task.id),
    working: task.status === 'in_progress' ? board.working : without(board.working, task.id),
  }
}

/** A card after the last loaded one has no known place. */
function insert(cards: readonly TaskCard[], card: TaskCard, hasMore: boolean): readonly TaskCard[] {
  const at = cards.findIndex((other) => inOrder(card, other) < 0)
  if (at >= 0) return cards.toSpliced(at, 0, card)
  return hasMore ? cards : [...cards, card]
}

function without<T extends { readonly taskId: string }>(list: readonly T[], taskId: string): readonly T[] {
  return list.some((entry) => entry.taskId === taskId) ? list.filter((entry) => entry.taskId !== taskId) : list
}

function fits(task: TaskCard, { assignee, priority, text }: BoardFilter): boolean {
  const who = task.assignee ? `${task.assignee.kind}:${task.assignee.id}` : 'none'
  return (
    (assignee === undefined || assignee === who) &&
    (priority === undefined || priority === task.priority) &&
    (text === undefined || task.title.toLowerCase().includes(text.toLowerCase()))
  )
}
