import { ApiError } from '@clawboo/api/client'
import { expect, test } from 'vitest'
import { sendProblem } from './send-problem.ts'

const failed = (code: ApiError['code'], message = 'no reason') => new ApiError(409, code, message)

test.each<ApiError['code']>([
  'queue_full',
  'agent_not_found',
  'server_stopping',
  'network',
  'rate_limited',
  'request_invalid',
  'internal',
])('[PG267] after %s the page shows that the text is kept', (code) => {
  const words = sendProblem(failed(code))
  expect(words).toMatch(/^(Couldn't send|Not confirmed)\. /)
  expect(words).toContain('still here')
})

test('[PG267] a full queue and an unreachable server come with advice', () => {
  expect(sendProblem(failed('queue_full'))).toContain('Take one back')
  expect(sendProblem(failed('network'))).toContain('before you send it again')
})
