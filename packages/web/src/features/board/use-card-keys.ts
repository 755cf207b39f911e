import type { TaskCard } from '@clawboo/core/board'
import { type KeyboardEvent, useState } from 'react'
import type { BoardColumn } from '../../api/board.ts'
import { useFocusMoves } from '../../ui/keyboard/focus-place.ts'
import { type DropPlace, following, stepPlace } from './drop-place.ts'
import type { Held } from './use-card-drag.ts'

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const
type Arrow = (typeof ARROWS)[number]

/**
 * Space picks a card up and drops it; the arrow keys choose the place. With no card held, the arrow keys move between
 * cards, and Home and End go to the first and the last.
 */
export function useCardKeys(options: {
  readonly columns: readonly BoardColumn[]
  readonly onDrop: (card: TaskCard, place: DropPlace) => void
  readonly focusCard: (id: string) => void
}) {
  const { columns, onDrop, focusCard } = options
  const [held, setHeld] = useState<Held | null>(null)
  // If the focus leaves the held card, the move is cancelled.
  useFocusMoves((target) => {
    if (held && target?.closest<HTMLElement>('[data-card]')?.dataset.card !== held.card.id) setHeld(null)
  })
  const take = (card: TaskCard) => {
    const column = columns.find(({ status }) => status === card.status)
    setHeld({ card, by: 'keyboard', over: { status: card.status, beforeId: following(card, column) } })
  }
  const onHeldKey = ({ card, over }: Held, key: string): boolean => {
    if (key === 'Escape') setHeld(null)
    else if (key === ' ' || key === 'Enter') {
      setHeld(null)
      if (over) onDrop(card, over)
    } else if (isArrow(key) && over) setHeld({ card, by: 'keyboard', over: stepPlace(over, key, card, columns) })
    else return false
    return true
  }
  const onFreeKey = (card: TaskCard, key: string): boolean => {
    if (key === ' ') take(card)
    else if (isArrow(key) || key === 'Home' || key === 'End') {
      const next = isArrow(key) ? neighbour(card, key, columns) : outermost(card, key, columns)
      if (next) focusCard(next.id)
    } else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent, card: TaskCard) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const isTaken = held?.card.id === card.id ? onHeldKey(held, event.key) : onFreeKey(card, event.key)
    if (!isTaken) return
    event.preventDefault()
    event.stopPropagation()
  }
  return { held, onKeyDown }
}

function isArrow(key: string): key is Arrow {
  return (ARROWS as readonly string[]).includes(key)
}

function outermost(card: TaskCard, key: 'Home' | 'End', columns: readonly BoardColumn[]): TaskCard | undefined {
  return columns.find(({ status }) => status === card.status)?.tasks.at(key === 'Home' ? 0 : -1)
}

/** The card above or below, or the nearest one in the next column that has cards. */
function neighbour(card: TaskCard, key: Arrow, columns: readonly BoardColumn[]): TaskCard | undefined {
  const at = columns.findIndex(({ status }) => status === card.status)
  const tasks = columns[at]?.tasks ?? []
  const row = tasks.findIndex(({ id }) => id === card.id)
  if (key === 'ArrowUp') return tasks[row - 1]
  if (key === 'ArrowDown') return tasks[row + 1]
  const ahead = key === 'ArrowRight' ? columns.slice(at + 1) : columns.slice(0, at).toReversed()
  const next = ahead.find((column) => column.tasks.length > 0)?.tasks
  return next?.[Math.min(row, next.length - 1)]
}
