import { expect, test } from 'vitest'
import { cardBelow, changesPlace, stepPlace, withMoved } from './drop-place.ts'
import { card, columnsOf } from './test-cards.ts'

const cards = [card('1'), card('2'), card('3'), card('9', { status: 'done' })]
const columns = columnsOf(cards)
const idsOf = (status: string, from = columns as ReturnType<typeof withMoved>) =>
  from.find((column) => column.status === status)!.tasks.map(({ id }) => id)

test('[PG202] a card goes before the first card with its middle below the pointer, never before itself', () => {
  const boxes = [1, 2, 3].map((n) => ({ id: String(n), middle: n * 100 }))
  expect(cardBelow(boxes, 50, '3')).toBe('1')
  expect(cardBelow(boxes, 150, '3')).toBe('2')
  expect(cardBelow(boxes, 150, '2')).toBe('3')
  expect(cardBelow(boxes, 350, '1')).toBe(null)
})

test('[PG202] dropping a card at its old place changes nothing', () => {
  expect(changesPlace(cards[0]!, { status: 'todo', beforeId: '2' }, columns)).toBe(false)
  expect(changesPlace(cards[2]!, { status: 'todo', beforeId: null }, columns)).toBe(false)
  expect(changesPlace(cards[2]!, { status: 'todo', beforeId: '1' }, columns)).toBe(true)
  expect(changesPlace(cards[2]!, { status: 'backlog', beforeId: null }, columns)).toBe(true)
})

test('[PG202] a dropped card shows at its new place until the server answers, in one column only', () => {
  const moved = withMoved(columns, { card: cards[0]!, place: { status: 'todo', beforeId: '3' } })
  expect(idsOf('todo', moved)).toEqual(['2', '1', '3'])
  const away = withMoved(columns, { card: cards[0]!, place: { status: 'done', beforeId: null } })
  expect(idsOf('todo', away)).toEqual(['2', '3'])
  expect(idsOf('done', away)).toEqual(['9', '1'])
})

test('[PG202] the arrow keys move through columns and places, and stop at the ends', () => {
  const start = { status: 'todo', beforeId: '2' } as const
  const up = stepPlace(start, 'ArrowUp', cards[0]!, columns)
  expect(up).toEqual(start)
  const down = stepPlace(start, 'ArrowDown', cards[0]!, columns)
  expect(down).toEqual({ status: 'todo', beforeId: '3' })
  expect(stepPlace(down, 'ArrowDown', cards[0]!, columns).beforeId).toBe(null)
  expect(stepPlace(start, 'ArrowLeft', cards[0]!, columns)).toEqual({ status: 'backlog', beforeId: null })
  const right = stepPlace({ status: 'backlog', beforeId: null }, 'ArrowRight', cards[0]!, columns)
  expect(right).toEqual(start)
  const last = { status: 'cancelled', beforeId: null } as const
  expect(stepPlace(last, 'ArrowRight', cards[0]!, columns)).toEqual(last)
})
