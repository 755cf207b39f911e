import { TASK_STATUSES, TASK_TRANSITIONS } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import { judgeDrop, openTargets } from './drop-rule.ts'

test('[PG202] a column takes a card exactly when the table lets a person move it there', () => {
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

test('[PG204] only who blocks or cancels is asked why, and not for a place within the column', () => {
  expect(judgeDrop({ status: 'todo' }, 'blocked')).toEqual({ ok: true, asks: true })
  expect(judgeDrop({ status: 'todo' }, 'cancelled')).toEqual({ ok: true, asks: true })
  expect(judgeDrop({ status: 'todo' }, 'done')).toEqual({ ok: true, asks: false })
  expect(judgeDrop({ status: 'blocked' }, 'blocked')).toEqual({ ok: true, asks: false })
})
