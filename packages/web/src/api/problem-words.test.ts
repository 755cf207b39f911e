import { ApiError } from '@clawboo/api/client'
import { expect, test } from 'vitest'
import { answerProblem, fieldProblems, readProblem, writeProblem } from './problem-words.ts'

test('[PG33] a failed write says that what was typed is kept', () => {
  expect(writeProblem(new ApiError(0, 'network', 'x'))).toContain('What you typed is still here')
  expect(writeProblem(new ApiError(502, 'upstream_disconnected', 'x'))).toContain('offline')
  expect(writeProblem(new ApiError(400, 'runtime_not_found', 'no such runtime'))).toBe('Not saved: No such runtime.')
  expect(readProblem(new ApiError(0, 'network', 'x'), 'The fleet').title).toBe('The fleet could not be loaded')
})

test('[PG21] the issues of a refused body stand at their fields', () => {
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

test('[PG178] an answer that was not taken says why, that it still waits, and what to do', () => {
  for (const code of ['network', 'credential_refused', 'rate_limited', 'internal'] as const) {
    const words = answerProblem(new ApiError(500, code, 'the disk is full'))
    expect(words).toMatch(/^Not answered: .+\. It still waits; .+\.$/)
    expect(words).not.toContain('typed')
  }
})
