import { TASK_STATUSES, type TaskCard, type TaskStatus } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import type { Board } from '../../../live/apply-to-board.ts'
import { MOST_CARDS, workOf } from './work-column.tsx'

const NOON = new Date(2026, 10, 16, 12).getTime()
const HOUR = 3_600_000
const card = (id: string, status: TaskStatus, more: Partial<TaskCard> = {}) =>
  ({ id, status, createdAt: NOON, startedAt: null, endedAt: null, ...more }) as TaskCard
const boardOf = (cards: readonly TaskCard[], cut: readonly TaskStatus[] = []): Board => ({
  columns: TASK_STATUSES.map((status) => ({
    status,
    tasks: cards.filter((one) => one.status === status),
    hasMore: cut.includes(status),
  })),
  waits: [],
  working: [],
})

test('[PG277] work is open tasks and tasks that ended today, open ones first, newest first', () => {
  const { cards, words } = workOf(
    boardOf([
      card('later', 'backlog'),
      card('old', 'todo', { createdAt: NOON - 3 * HOUR }),
      card('new', 'blocked', { createdAt: NOON - HOUR }),
      card('begun', 'in_progress', { createdAt: NOON - 9 * HOUR, startedAt: NOON }),
      card('asked', 'in_review', { createdAt: NOON - 2 * HOUR }),
      card('today', 'done', { endedAt: NOON + HOUR }),
      card('dropped', 'cancelled', { endedAt: NOON + 2 * HOUR }),
      card('before', 'done', { endedAt: NOON - 24 * HOUR }),
    ]),
    NOON,
  )
  expect(cards.map(({ id }) => id)).toEqual(['begun', 'new', 'asked', 'old', 'dropped', 'today'])
  expect(words).toEqual({ short: '4 of 6', long: '4 of 6 still open' })
})

test('[PG277] long work lists are cut, and tasks that were not loaded are not counted', () => {
  const many = Array.from({ length: MOST_CARDS + 5 }, (_, at) => card(`t${at}`, 'todo', { createdAt: NOON + at }))
  const work = workOf(boardOf(many), NOON)
  expect([work.cards.length, work.cards[0]!.id]).toEqual([MOST_CARDS, `t${MOST_CARDS + 4}`])
  expect(work.words.short).toBe(`${many.length} of ${many.length}`)
  expect(workOf(boardOf(many, ['done']), NOON).words.short).toBe(`${many.length} open`)
  expect(workOf(boardOf(many, ['todo']), NOON).words.long).toBe(`at least ${many.length} open`)
})
