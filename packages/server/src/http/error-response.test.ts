import { ClawbooError } from '@clawboo/core'
import { expect, test } from 'vitest'
import { responseOfError } from './error-response.ts'

test('[SE22] a programming mistake answers with internal and none of its text', () => {
  const answer = responseOfError(new TypeError('cannot read /home/someone/secret-key of undefined'))
  expect(answer.status).toBe(500)
  expect(JSON.parse(answer.body).error.code).toBe('internal')
  expect(answer.body).not.toContain('secret-key')
})

test('[AP3] a known error has its code, status and details', () => {
  const answer = responseOfError(
    new ClawbooError('upstream_disconnected', 'the upstream is offline', { details: { sourceId: 'x' } }),
  )
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect(JSON.parse(answer.body).error).toEqual({
    code: 'upstream_disconnected',
    message: 'the upstream is offline',
    details: { sourceId: 'x' },
  })
})

test('[AP15] an upstream that is offline answers with its own code, and with the general code in the details', () => {
  const details = { code: 'far_disconnected', words: 'away' }
  const answer = responseOfError(new ClawbooError('upstream_disconnected', 'the far end is offline', { details }))
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect(JSON.parse(answer.body).error).toEqual({
    code: 'far_disconnected',
    message: 'the far end is offline',
    details: { code: 'upstream_disconnected', words: 'away' },
  })
})
