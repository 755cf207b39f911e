import { expect, test } from 'vitest'
import type { RunEnding } from '../run/run-book.ts'
import type { StopCause } from '../run/run-control.ts'
import { outcomeOf, stoppedOutcome } from './run-attempt.ts'

const END: RunEnding = {
  outcome: 'completed',
  reason: null,
  detail: null,
  text: '',
  undelivered: [],
  limit: null,
  isFinal: false,
  resume: null,
}
const LIMIT = { reason: 'usd_limit', scope: 'run', figure: 3, cap: 2 } as const
const DONE = { outcome: 'completed', reason: null, summary: null } as const
const STUCK = { outcome: 'blocked', reason: 'No key.', summary: null } as const

const ended = (end: Partial<RunEnding>, cause: StopCause | null = null) =>
  outcomeOf({ ...END, ...end }, { verdict: null, cause }).outcome

test('[DI20] the end of a run decides the report', () => {
  expect(ended({})).toBe('completed')
  expect(ended({ outcome: 'stopped', reason: 'usd_limit', limit: LIMIT, detail: '3 of 2' })).toBe('blocked')
  expect(ended({ outcome: 'stopped', reason: 'repeat_limit' })).toBe('blocked')
  for (const cause of ['taken_back', 'not_ours', 'agent_removed', 'server_stopping'] as const) {
    expect(ended({ outcome: 'aborted', reason: 'aborted_by_person' }, cause)).toBe('released')
    expect(stoppedOutcome(cause)).toMatchObject({ outcome: 'released', reason: expect.stringMatching(/\.$/) })
  }
  expect(ended({ outcome: 'failed', reason: 'process_died' })).toBe('released')
  expect(ended({ outcome: 'failed', reason: 'start_failed' })).toBe('released')
  expect(ended({ outcome: 'failed', reason: 'start_failed', isFinal: true })).toBe('blocked')
  expect(ended({ outcome: 'failed', reason: 'model_unknown' })).toBe('blocked')
  expect(ended({ outcome: 'failed', reason: 'refused' })).toBe('blocked')
  for (const reason of ['model_failed', 'context_overflow', 'session_unwritable'] as const)
    expect(ended({ outcome: 'failed', reason })).toBe('failed')
  expect(ended({ outcome: 'aborted', reason: 'aborted_by_person' }, 'aborted_by_person')).toBe('blocked')
  expect(stoppedOutcome('aborted_by_person').outcome).toBe('blocked')
  expect(ended({ outcome: 'stopped', reason: 'approval_denied' })).toBe('blocked')
  expect(ended({ outcome: 'aborted' })).toBe('released')
})

test('[DI20] a blocked or failed attempt has a reason', () => {
  for (const end of [
    { outcome: 'failed', reason: 'model_failed' },
    { outcome: 'stopped', reason: 'time_limit' },
    { outcome: 'aborted', reason: 'aborted_by_person' },
  ] as const)
    expect(outcomeOf({ ...END, ...end }, { verdict: null, cause: null }).reason).toMatch(/\w/)
})

test('[DI21] the agent’s own report counts more than the end of its run', () => {
  const ends = [
    END,
    { ...END, outcome: 'failed', reason: 'process_died' },
    { ...END, outcome: 'stopped', limit: LIMIT },
  ]
  for (const end of ends as RunEnding[])
    for (const cause of [null, 'server_stopping', 'taken_back'] as const) {
      expect(outcomeOf(end, { verdict: DONE, cause })).toEqual({ outcome: 'completed', reason: null })
      expect(outcomeOf(end, { verdict: STUCK, cause })).toEqual({ outcome: 'blocked', reason: 'No key.' })
    }
})
