import { expect, test } from 'vitest'
import { askedWords, taskAnswered, wordsMissing } from './task-answers.tsx'

test('[PE20] an answer and a refusal require text; the other answers may have some', () => {
  expect(wordsMissing('answer', ' ')).toMatch(/\S/)
  expect(wordsMissing('refuse', '')).toMatch(/\S/)
  expect(wordsMissing('refuse', 'no time')).toBeNull()
  expect([wordsMissing('accept', ''), wordsMissing('done', '')]).toEqual([null, null])
})

test('[PG217] a task assigned to the operator is assigned to “you”', () => {
  const task = { teamId: 't', askedBy: 'Kit', askedOf: 'Operator' }
  expect(askedWords(null, task)).toBe('Assigned to you by Kit')
  expect(askedWords('p-1', { ...task, askedOf: 'Robin' })).toBe('Assigned to Robin by Kit')
})

test('[PE20] every answer has its own announcement', () => {
  const announcements = (['accept', 'answer', 'done', 'refuse'] as const).map(taskAnswered)
  expect(new Set(announcements).size).toBe(4)
})
