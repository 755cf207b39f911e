import { ApiError } from '@clawboo/api/client'
import { expect, test } from 'vitest'
import { type SendPromise, sendProblem } from './send-problem.ts'

const promise: SendPromise = { kept: 'It is still here.', unconfirmed: 'Check first.', whenFull: 'Take one back.' }
const problem = (code: ApiError['code']) => sendProblem(new ApiError(409, code, 'no reason'), promise)

test.each<ApiError['code']>([
  'queue_full',
  'agent_not_found',
  'server_stopping',
  'network',
  'rate_limited',
  'request_invalid',
  'internal',
])('[PG267] after %s the page shows that the text is kept', (code) => {
  expect(problem(code)).toMatch(/^(Couldn't send|Not confirmed)\. /)
  expect(problem(code)).toContain('It is still here.')
})

test('[PG267] a full queue and an unreachable server come with advice', () => {
  expect(problem('queue_full')).toContain('Take one back.')
  expect(problem('network')).toContain('Check first.')
})
