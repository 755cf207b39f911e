import { TASK_STATUSES, TASK_TRANSITIONS } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import { judgeDrop, openTargets } from './drop-place.ts'

test('[PG202] a column accepts a card exactly when the transition table lets a person move it there', () => {
  for (const status of TASK_STATUSES) {
    for (const to of TASK_STATUSES) {
      const isAllowed = status === to || (TASK_TRANSITIONS[status][to]?.includes('person') ?? false)
      const verdict = judgeDrop({ status }, to)
      expect([status, to, verdict.ok]).toEqual([status, to, isAllowed])
      if (!verdict.ok) expect(verdict.why).toMatch(/\S.*\.$/)
    }
  }
  expect(openTargets({ status: 'done' })).toEqual(['backlog', 'todo'])
})

test('[PG204] only blocking and cancelling require a reason, and moving within the column does not', () => {
  expect(judgeDrop({ status: 'todo' }, 'blocked')).toEqual({ ok: true, asks: true })
  expect(judgeDrop({ status: 'todo' }, 'cancelled')).toEqual({ ok: true, asks: true })
  expect(judgeDrop({ status: 'todo' }, 'done')).toEqual({ ok: true, asks: false })
  expect(judgeDrop({ status: 'blocked' }, 'blocked')).toEqual({ ok: true, asks: false })
})
