import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  findReasonProblem,
  findTaskProblems,
  TASK_BODY_CHARACTERS,
  TASK_REASON_CHARACTERS,
  TASK_TITLE_CHARACTERS,
} from './task.ts'
import { TASK_STATUSES } from './transitions.ts'

const titled = (title: unknown) => findTaskProblems({ title }, 'new').map(({ message }) => message)

test('[BO1] a title is one non-empty line of at most 200 characters', () => {
  for (const title of ['Draft', 'x'.repeat(TASK_TITLE_CHARACTERS), 'Familie 👨‍👩‍👧', 'مهمة'])
    expect(titled(title)).toEqual([])
  for (const empty of ['', '  ', '\u200B\u200D', '\u3000']) expect(titled(empty)).toEqual(['The title is empty.'])
  expect(titled('x'.repeat(201))).toEqual(['The title has 201 characters; the maximum is 200.'])
  for (const mark of ['\n', '\r', '\t', '\u001B', '\u0085', '\u2028', '\u2029', '\u202E', '\u2066'])
    expect(titled(`a${mark}b`)).toEqual(['The title must be one line without control characters.'])
  expect(titled('a\0b')).toEqual(['The title contains characters that cannot be stored.'])
  expect(titled('a\uD800')).toEqual(['The title contains characters that cannot be stored.'])
  expect(titled(7)).toEqual(['The title must be text.'])
})

test('[BO2] a body and a reason have maximum lengths and no characters that cannot be stored', () => {
  const body = (text: unknown) => findTaskProblems({ body: text }, 'patch').map(({ message }) => message)
  expect(body('')).toEqual([])
  expect(body('line\nline')).toEqual([])
  expect(body('x'.repeat(TASK_BODY_CHARACTERS))).toEqual([])
  expect(body('x'.repeat(TASK_BODY_CHARACTERS + 1))).toEqual(['The body has 65537 characters; the maximum is 65536.'])
  expect(body('a\0')).toEqual(['The body contains characters that cannot be stored.'])
  const reason = (text: unknown) => findReasonProblem('blocked', text)?.message
  expect(reason('x'.repeat(TASK_REASON_CHARACTERS))).toBeUndefined()
  expect(reason('x'.repeat(TASK_REASON_CHARACTERS + 1))).toBe('The reason has 2001 characters; the maximum is 2000.')
  expect(reason('\uDC00')).toBe('The reason contains characters that cannot be stored.')
})

test('[BO3] names each problem with its field; a patch needs no title', () => {
  const wrong = {
    title: '',
    body: 1,
    priority: 'now',
    assignee: { kind: 'team', id: 'a' },
    changesFiles: 1,
    parentId: '',
  }
  expect(findTaskProblems(wrong, 'new').map(({ field }) => field)).toEqual(Object.keys(wrong))
  expect(findTaskProblems({}, 'new')).toEqual([{ field: 'title', message: 'The title must be text.' }])
  expect(findTaskProblems({}, 'patch')).toEqual([])
  const right = {
    title: 'a',
    body: '',
    priority: 'urgent',
    assignee: { kind: 'person', id: 'ada' },
    changesFiles: true,
  }
  expect(findTaskProblems({ ...right, parentId: null }, 'new')).toEqual([])
  expect(findTaskProblems({ ...right, assignee: null, parentId: 't1' }, 'new')).toEqual([])
})

test('[BO3] an invalid value of any type gives problems, never an error', () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom('new' as const, 'patch' as const), (value, as) => {
      for (const { field, message } of findTaskProblems(value, as)) expect(`${field}${message}`).not.toBe('')
    }),
  )
  for (const value of [null, undefined, 'task', [], 7])
    expect(findTaskProblems(value, 'patch')).toEqual([{ field: 'task', message: 'A task must be an object.' }])
})

test('[BO4] only a blocked or cancelled task has a reason, and it needs one', () => {
  for (const status of TASK_STATUSES) {
    const needed = status === 'blocked' || status === 'cancelled'
    expect(findReasonProblem(status, 'no key') === null).toBe(needed)
    expect(findReasonProblem(status, null) === null).toBe(!needed)
  }
  expect(findReasonProblem('blocked', ' ')).toEqual({ field: 'reason', message: 'The reason is empty.' })
})
