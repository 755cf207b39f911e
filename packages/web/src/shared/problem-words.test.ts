import { ApiError } from '@clawboo/api/client'
import { expect, test } from 'vitest'
import { answerProblem, fieldProblems, problemWords, readProblem, saveProblem } from './problem-words.ts'

test('[PG33] a failed save shows that the typed text is kept', () => {
  expect(saveProblem(new ApiError(0, 'network', 'x'))).toContain('What you typed is still here')
  expect(saveProblem(new ApiError(502, 'upstream_disconnected', 'x'))).toContain('offline')
  expect(saveProblem(new ApiError(400, 'runtime_not_found', 'no such runtime'))).toBe(
    "Couldn't save. No such runtime. What you typed is still here.",
  )
  expect(readProblem(new ApiError(0, 'network', 'x'), 'the fleet').title).toBe("Couldn't load the fleet")
})

test('[PG33] a failed action shows the action, the reason and what to do', () => {
  expect(problemWords(new ApiError(0, 'network', 'x'), 'merge')).toBe(
    "Couldn't merge. The server isn't responding. Try again when it's back.",
  )
  expect(problemWords(new ApiError(409, 'worktree_refused', 'two files changed'), 'merge')).toBe(
    "Couldn't merge. Two files changed.",
  )
  expect(problemWords(new TypeError('broken'), 'stop')).toBe("Couldn't stop. Broken. Try again.")
})

test('[PG21] the problems of a refused body are shown at their fields', () => {
  const issues = [
    { path: 'name', message: 'must not be empty' },
    { path: 'body.files.SOUL.md', message: 'is too long' },
  ]
  expect(fieldProblems(new ApiError(400, 'body_invalid', 'x', { issues }))).toEqual({
    name: 'Must not be empty.',
    'files.SOUL.md': 'Is too long.',
  })
  expect(fieldProblems(new ApiError(409, 'team_name_taken', 'x')).name).toContain('already')
  expect(fieldProblems(new TypeError('x'))).toEqual({})
})

test('[PG178] an answer that did not arrive shows the reason, that the approval still waits, and what to do', () => {
  for (const code of ['network', 'credential_refused', 'rate_limited', 'internal'] as const) {
    const words = answerProblem(new ApiError(500, code, 'the disk is full'))
    expect(words).toMatch(/^Couldn't answer\. .+\. The question still waits\. .+\.$/)
    expect(words).not.toContain('typed')
  }
})
