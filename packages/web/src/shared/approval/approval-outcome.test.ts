import type { AttentionItem, RuntimeEvent, RuntimeEventBody } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { foldRun, type RunEnd } from '../../live/fold-run.ts'
import { approvalOutcomes } from './approval-outcome.ts'

const eventsOf = (...bodies: RuntimeEventBody[]): RuntimeEvent[] =>
  bodies.map((body, index) => ({ runId: 'r', sessionId: null, ts: 1000 + index, seq: index + 1, ...body }))

const asking = (approvalId: string): RuntimeEventBody => ({
  type: 'approval-request',
  approvalId,
  callId: approvalId,
  tool: 'exec',
  action: 'rm x',
  cwd: '/w',
  reason: 'not on the list',
  mayAlwaysAllow: false,
})
const answered = (approvalId: string, detail: string): RuntimeEventBody => ({
  type: 'status',
  state: 'approval-answered',
  approvalId,
  detail,
})
const result = (callId: string): RuntimeEventBody => ({
  type: 'tool-result',
  callId,
  tool: 'exec',
  text: '',
  isError: true,
})
const modelCall: RuntimeEventBody = { type: 'status', state: 'model-call' }
const end = (outcome: RunEnd['outcome'], reason: RunEnd['reason'] = null): RunEnd => ({ outcome, reason, detail: null })
const item = (more: Partial<AttentionItem>) =>
  ({ state: 'expired', answer: null, answeredBy: null, settledAt: 5, expiresAt: 90_000, ...more }) as AttentionItem

function outcomes(
  bodies: readonly RuntimeEventBody[],
  how: RunEnd,
  items: Readonly<Record<string, AttentionItem>> = {},
) {
  const found = approvalOutcomes(foldRun(eventsOf(...bodies)), how, new Map(Object.entries(items)))
  return [...found.values()].map(({ words, allowed }) => (allowed ? `+ ${words}` : words))
}

test('[PG171] every approval of an ended run shows its answer, or that it was not answered', () => {
  const bodies = [asking('a'), answered('a', 'allow-once'), asking('b'), answered('b', 'deny'), modelCall, asking('c')]
  expect(outcomes(bodies, end('completed'))).toEqual(['+ Allowed once', 'Denied', 'Not answered'])
  const by = { a: item({ state: 'answered', answer: 'allow-once', answeredBy: 'operator' }) }
  expect(outcomes(bodies, end('completed'), by)[0]).toBe('+ Allowed once by operator')
  // The record has "denied", because the time ran out.
  expect(outcomes(bodies, end('completed'), { b: item({ settledAt: 90_000 }) })[1]).toBe('Not answered')
})

test('[PG172] an approval that was open when its run was stopped does not show as denied', () => {
  const cut = [asking('a'), answered('a', 'deny'), result('a')]
  const stopped = ['The run stopped before you answered']
  for (const how of [
    end('aborted', 'aborted_by_person'),
    end('stopped', 'server_stopping'),
    end('stopped', 'time_limit'),
  ])
    expect(outcomes(cut, how)).toEqual(stopped)
  expect(outcomes([asking('a')], end('interrupted', 'server_died'))).toEqual(stopped)
  expect(outcomes(cut, end('completed'), { a: item({}) })).toEqual(stopped)
})

test('[PG172] an approval that a person denied stays denied when the run is stopped afterwards', () => {
  const denied = [asking('a'), answered('a', 'deny'), result('a')]
  const aborted = end('aborted', 'aborted_by_person')
  expect(outcomes([...denied, modelCall], aborted)).toEqual(['Denied'])
  expect(outcomes([...denied, asking('b'), answered('b', 'deny')], aborted)[0]).toBe('Denied')
  expect(outcomes(denied, end('stopped', 'usd_limit'))).toEqual(['Denied'])
  const answers = { a: item({ state: 'answered', answer: 'deny', answeredBy: 'operator' }) }
  expect(outcomes(denied, aborted, answers)).toEqual(['Denied by operator'])
})
