import { judgeTransition, TASK_STATUSES, type TaskCard, type TaskStatus } from '@clawboo/core/board'
import type { BoardColumn } from '../../api/board.ts'

/** The target of a drop: the column, and the card to go before; null = the end. */
export interface DropPlace {
  readonly status: TaskStatus
  readonly beforeId: string | null
}

/** The card before which a card dropped at this height goes. `boxes` are the cards on the screen, in order. */
export function cardBelow(
  boxes: readonly { readonly id: string; readonly middle: number }[],
  y: number,
  draggedId: string,
): string | null {
  return boxes.find(({ id, middle }) => id !== draggedId && y < middle)?.id ?? null
}

/** Whether dropping there changes anything. */
export function changesPlace(card: TaskCard, place: DropPlace, columns: readonly BoardColumn[]): boolean {
  if (place.status !== card.status) return true
  const tasks = columns.find(({ status }) => status === card.status)?.tasks ?? []
  const at = tasks.findIndex(({ id }) => id === card.id)
  return place.beforeId !== card.id && (tasks[at + 1]?.id ?? null) !== place.beforeId
}

/** The columns with a card at its new place, until the server answers. */
export function withMoved(
  columns: readonly BoardColumn[],
  moved: { readonly card: TaskCard; readonly place: DropPlace } | null,
): readonly BoardColumn[] {
  if (!moved) return columns
  const { card, place } = moved
  return columns.map((column) => {
    const others = column.tasks.filter(({ id }) => id !== card.id)
    if (column.status !== place.status)
      return others.length === column.tasks.length ? column : { ...column, tasks: others }
    const at = others.findIndex(({ id }) => id === place.beforeId)
    return { ...column, tasks: others.toSpliced(at < 0 ? others.length : at, 0, { ...card, status: place.status }) }
  })
}

/** One step with the keyboard: left and right between columns, up and down within one. */
export function stepPlace(
  place: DropPlace,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
  card: TaskCard,
  columns: readonly BoardColumn[],
): DropPlace {
  const at = columns.findIndex(({ status }) => status === place.status)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const next = columns[at + (key === 'ArrowLeft' ? -1 : 1)]
    return next ? { status: next.status, beforeId: next.status === card.status ? following(card, next) : null } : place
  }
  const others = (columns[at]?.tasks ?? []).filter(({ id }) => id !== card.id)
  const now = place.beforeId === null ? others.length : others.findIndex(({ id }) => id === place.beforeId)
  const wanted = Math.min(others.length, Math.max(0, now + (key === 'ArrowUp' ? -1 : 1)))
  return { ...place, beforeId: others[wanted]?.id ?? null }
}

/** The card after this one: moving before it changes nothing. */
export function following(card: TaskCard, column: BoardColumn | undefined): string | null {
  const tasks = column?.tasks ?? []
  return tasks[tasks.findIndex(({ id }) => id === card.id) + 1]?.id ?? null
}

export type DropVerdict =
  /** `asks`: the move requires a reason. */
  { readonly ok: true; readonly asks: boolean } | { readonly ok: false; readonly why: string }

/** Uses the board's own transition table; the user of the page is a person. */
export function judgeDrop(card: Pick<TaskCard, 'status'>, to: TaskStatus): DropVerdict {
  const verdict = judgeTransition(card.status, to, { kind: 'person' })
  if (!verdict.ok) return { ok: false, why: verdict.message }
  return { ok: true, asks: verdict.changed && asksWhy(to) }
}

/** The columns that a person may move a task to, except its own. */
export function openTargets(card: Pick<TaskCard, 'status'>): readonly TaskStatus[] {
  return TASK_STATUSES.filter((status) => status !== card.status && judgeDrop(card, status).ok)
}

export function asksWhy(to: TaskStatus): boolean {
  return to === 'blocked' || to === 'cancelled'
}
