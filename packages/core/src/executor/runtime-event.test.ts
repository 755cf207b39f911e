import { expect, test } from 'vitest'
import { RUN_REASONS } from './run-reason.ts'
import { endsRun, type RuntimeEventBody } from './runtime-event.ts'

const failure = (fatal: boolean): RuntimeEventBody => ({
  type: 'error',
  fatal,
  reason: 'model_failed',
  message: 'no',
  undelivered: [],
})

test('[EX95] only done and a fatal error end a run', () => {
  const done: RuntimeEventBody = { type: 'done', outcome: 'completed', reason: null, text: '', undelivered: [] }
  expect([done, failure(true)].map(endsRun)).toEqual([true, true])
  const others: RuntimeEventBody[] = [
    failure(false),
    { type: 'status', state: 'started' },
    { type: 'text-delta', message: 0, offset: 0, text: 'done' },
    { type: 'tool-result', callId: 'c', tool: 't', text: '', isError: true },
  ]
  expect(others.map(endsRun)).toEqual(others.map(() => false))
})

test('[EX96] reason codes are unique words in snake case', () => {
  expect(RUN_REASONS.filter((reason) => !/^[a-z]+(_[a-z]+)*$/.test(reason))).toEqual([])
  expect([...RUN_REASONS]).toEqual([...new Set(RUN_REASONS)])
})
