import type { TaskCard } from '@clawboo/core/board'
import { useState } from 'react'
import type { BoardColumn } from '../../api/board.ts'
import { useMoveTask } from '../../api/tasks.ts'
import { reasonOf } from '../../shared/problem-words.ts'
import { STATUS_TITLES } from '../../shared/task/task-state.ts'
import { announce } from '../../ui/announcement.tsx'
import { changesPlace, type DropPlace } from './drop-place.ts'
import { judgeDrop } from './drop-rule.ts'

export interface Moved {
  readonly card: TaskCard
  readonly place: DropPlace
}

/** A refused move and its reason. */
export interface RefusedMove {
  readonly card: TaskCard
  readonly words: string
}

/** Drops cards: at once if the table allows it, after a reason if one is required, and back if refused. */
export function useCardMoves(columns: readonly BoardColumn[]) {
  const [moving, setMoving] = useState<Moved | null>(null)
  const [asking, setAsking] = useState<Moved | null>(null)
  const [refused, setRefused] = useState<RefusedMove | null>(null)
  const move = useMoveTask()
  const send = async (moved: Moved, reason?: string) => {
    const { card, place } = moved
    setAsking(null)
    setRefused(null)
    setMoving(moved)
    try {
      const { warnings } = await move.mutateAsync({
        taskId: card.id,
        to: place.status,
        beforeId: place.beforeId,
        ...(reason === undefined ? {} : { reason }),
      })
      const done = card.status === place.status ? 'moved' : `moved to ${STATUS_TITLES[place.status]}`
      announce([`“${card.title}” ${done}.`, ...warnings].join(' '))
    } catch (error) {
      setRefused({ card, words: reasonOf(error) })
    } finally {
      setMoving(null)
    }
  }
  const drop = (card: TaskCard, place: DropPlace) => {
    const verdict = judgeDrop(card, place.status)
    if (!verdict.ok) return setRefused({ card, words: verdict.why })
    if (!changesPlace(card, place, columns)) return
    if (verdict.asks) setAsking({ card, place })
    else void send({ card, place })
  }
  return { moving, asking, refused, drop, send, stopAsking: () => setAsking(null), forget: () => setRefused(null) }
}
