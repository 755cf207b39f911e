import type { TaskCard, TaskStatus } from '@clawboo/core/board'
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { cardBelow, type DropPlace } from './drop-place.ts'

export interface Held {
  readonly card: TaskCard
  readonly by: 'pointer' | 'keyboard'
  /** The current target; null = over no column. */
  readonly over: DropPlace | null
}

const STARTS_AFTER_PX = 5
const EDGE_PX = 40

interface DragOptions {
  readonly board: RefObject<HTMLElement | null>
  readonly ghost: RefObject<HTMLElement | null>
  readonly onDrop: (card: TaskCard, place: DropPlace) => void
}

/** Drags a card with a mouse or a pen. Touch scrolls; on a phone a task is moved from its own view. */
export function useCardDrag(options: DragOptions) {
  const [held, setHeld] = useState<Held | null>(null)
  const current = useRef(options)
  current.current = options
  const end = useRef<(() => void) | null>(null)
  useEffect(() => () => end.current?.(), [])
  const onPointerDown = (event: PointerEvent, card: TaskCard) => {
    if (event.button !== 0 || event.pointerType === 'touch' || event.ctrlKey || event.metaKey) return
    end.current?.()
    end.current = startDrag({ x: event.clientX, y: event.clientY }, card, {
      current: () => current.current,
      onHeld: setHeld,
    })
  }
  return { held, onPointerDown }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Follows the pointer until it is released. Returns a function that ends the drag without a drop. */
function startDrag(
  start: Point,
  card: TaskCard,
  drag: { readonly current: () => DragOptions; readonly onHeld: (held: Held | null) => void },
): () => void {
  const listeners = new AbortController()
  let over: DropPlace | null = null
  let at = start
  let frame = 0
  let isDragging = false
  const follow = () => {
    const { board, ghost } = drag.current()
    if (ghost.current) ghost.current.style.transform = `translate(${at.x + 10}px, ${at.y + 8}px)`
    scrollAtEdges(board.current, at)
    const next = placeAt(at, card.id)
    if (next?.status !== over?.status || next?.beforeId !== over?.beforeId) {
      over = next
      drag.onHeld({ card, by: 'pointer', over })
    }
    frame = requestAnimationFrame(follow)
  }
  const stop = () => {
    cancelAnimationFrame(frame)
    listeners.abort()
    drag.onHeld(null)
  }
  const move = (moved: globalThis.PointerEvent) => {
    at = { x: moved.clientX, y: moved.clientY }
    if (isDragging || Math.hypot(at.x - start.x, at.y - start.y) < STARTS_AFTER_PX) return
    isDragging = true
    drag.onHeld({ card, by: 'pointer', over: null })
    follow()
  }
  const up = (released: globalThis.PointerEvent) => {
    const place = isDragging ? placeAt({ x: released.clientX, y: released.clientY }, card.id) : null
    if (isDragging) swallowClick()
    stop()
    if (place) drag.current().onDrop(card, place)
  }
  const leave = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape' || !isDragging) return
    pressed.stopPropagation()
    swallowClick()
    stop()
  }
  const { signal } = listeners
  window.addEventListener('pointermove', move, { signal })
  window.addEventListener('pointerup', up, { signal })
  window.addEventListener('pointercancel', stop, { signal })
  window.addEventListener('keydown', leave, { capture: true, signal })
  return stop
}

function placeAt({ x, y }: Point, draggedId: string): DropPlace | null {
  const column = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-column]')
  if (!column) return null
  const boxes = [...column.querySelectorAll<HTMLElement>('[data-card]')].map((element) => {
    const { top, height } = element.getBoundingClientRect()
    return { id: element.dataset.card ?? '', middle: top + height / 2 }
  })
  return { status: column.dataset.column as TaskStatus, beforeId: cardBelow(boxes, y, draggedId) }
}

function scrollAtEdges(board: HTMLElement | null, { x, y }: Point): void {
  if (!board) return
  const cards = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-column]')?.querySelector('[data-cards]')
  const speed = (at: number, low: number, high: number) => (at < low + EDGE_PX ? -8 : at > high - EDGE_PX ? 8 : 0)
  const { left, right } = board.getBoundingClientRect()
  board.scrollBy(speed(x, left, right), 0)
  if (!cards) return
  const { top, bottom } = cards.getBoundingClientRect()
  cards.scrollBy(0, speed(y, top, bottom))
}

/** Without this, dropping a card on its own link would open it. */
function swallowClick(): void {
  const swallow = (click: Event) => {
    click.preventDefault()
    click.stopPropagation()
  }
  window.addEventListener('click', swallow, { capture: true, once: true })
  setTimeout(() => window.removeEventListener('click', swallow, { capture: true }))
}
