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
])('[PG267] after %s it is said that nothing typed is lost', (code) => {
  const words = sendProblem(failed(code))
  expect(words).toMatch(/^Not (sent|known to have been sent): /)
  expect(words).toContain('still here')
})

test('[PG267] a full queue and a silent server say what to do', () => {
  expect(sendProblem(failed('queue_full'))).toContain('Take one of them back')
  expect(sendProblem(failed('network'))).toContain('before you send it again')
})
