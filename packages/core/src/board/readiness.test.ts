import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainWords, QUOTED_CHARACTERS, quoteTitle } from './quote-title.ts'
import { type Blocker, judgeReadiness } from './readiness.ts'
import { testTask } from './test-task.ts'
import { TASK_STATUSES } from './transitions.ts'

const blocker = (title: string, status: Blocker['status'] = 'todo', failedAt: number | null = null): Blocker =>
  testTask({ id: title, title, status, failedAt })
const reason = (blockers: readonly Blocker[]) => {
  const readiness = judgeReadiness(testTask(), blockers)
  return readiness.ready ? null : readiness.reason
}

test('[BO12] a task is ready when it is in To do and all its blockers are done', () => {
  const status = fc.constantFrom(...TASK_STATUSES)
  fc.assert(
    fc.property(status, fc.array(status), (own, others) => {
      const blockers = others.map((other, at) => blocker(`b${at}`, other))
      expect(judgeReadiness(testTask({ status: own }), blockers).ready).toBe(
        own === 'todo' && others.every((other) => other === 'done'),
      )
    }),
  )
})

test('[BO13] a task that is not ready shows what it waits for', () => {
  expect(reason([blocker('Draft')])).toBe('waits for “Draft”')
  expect(reason([blocker('Draft', 'in_progress'), blocker('Old', 'done')])).toBe('waits for “Draft”')
  expect(reason([blocker('B'), blocker('A', 'in_review')])).toBe('waits for “A” and “B”')
  expect(reason([blocker('C'), blocker('B'), blocker('A')])).toBe('waits for “A” and 2 others')
  expect(reason([blocker('Draft', 'blocked')])).toBe('waits for “Draft”, which is blocked')
  expect(reason([blocker('Draft', 'blocked'), blocker('A')])).toBe('waits for “Draft”, which is blocked, and 1 other')
})

test('[BO13] names a failed blocker before a cancelled one, and both before the rest, in any order', () => {
  const all = [blocker('A'), blocker('B', 'blocked'), blocker('C', 'cancelled'), blocker('D', 'blocked', 7)]
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: 4 }), (shuffled) => {
      expect(reason(shuffled)).toBe('“D” failed; it also waits for 3 others')
    }),
  )
  expect(reason(all.slice(0, 3))).toBe('“C” was cancelled; it also waits for 2 others')
  expect(reason([blocker('C', 'cancelled')])).toBe('“C” was cancelled')
})

test('[BO13] a task that is not in To do shows its status and reason', () => {
  const own = (status: Blocker['status'], why: string | null = null) =>
    judgeReadiness(testTask({ status, reason: why }), [])
  expect(own('backlog')).toEqual({ ready: false, code: 'not_todo', reason: 'is in the backlog' })
  expect(own('blocked', 'no key')).toMatchObject({ reason: 'is blocked: no key' })
})

test('[BO14] a quoted title can neither end its own quotation nor start a line', () => {
  expect(quoteTitle('Draft” failed; “B')).toBe("“Draft' failed; 'B”")
  expect(quoteTitle(' a\n\u2028\u202Eb\0 ')).toBe('“a b”')
  expect(plainWords('a\uD800b').isWellFormed()).toBe(true)
  expect(plainWords('x'.repeat(61))).toBe(`${'x'.repeat(59)}…`)
  expect(plainWords(`${'x'.repeat(58)}👻👻`).isWellFormed()).toBe(true)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (title) => {
      const words = plainWords(title)
      expect(words.length).toBeLessThanOrEqual(QUOTED_CHARACTERS)
      expect(words).not.toMatch(/[“”\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u)
    }),
  )
})
