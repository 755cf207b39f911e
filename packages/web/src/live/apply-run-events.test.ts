import type { LiveEvent } from '@clawboo/api'
import { type MessageRecord, NO_CONVERSATION_SETTINGS, type RunRecord } from '@clawboo/core/executor'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyToConversation, applyToRuns, type Conversation, hasEndedSince } from './apply-run-events.ts'

const run = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
  id,
  agentId: 'ada',
  agentName: 'Ada',
  teamId: null,
  runtime: 'here',
  sessionKey: 'main',
  trigger: 'message',
  model: null,
  state: 'running',
  outcome: null,
  reason: null,
  detail: null,
  prompt: '',
  text: '',
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
  costComplete: true,
  contextTokens: null,
  contextWindowTokens: null,
  startedAt: 0,
  endedAt: null,
  ...more,
})
const started = (id: string): LiveEvent => ({ type: 'run-started', run: run(id) })
const ended = (id: string): LiveEvent => ({
  type: 'run-ended',
  run: run(id, { state: 'ended', outcome: 'completed', endedAt: 1 }),
})
const message = (id: string, more: Partial<MessageRecord> = {}): LiveEvent => ({
  type: 'message-changed',
  message: {
    id,
    agentId: 'ada',
    sessionKey: 'main',
    text: id,
    mode: 'steer',
    model: null,
    sender: 'operator',
    state: 'queued',
    runId: null,
    reason: null,
    attempts: 0,
    createdAt: 0,
    settledAt: null,
    ...more,
  },
})
const empty: Conversation = {
  sessionKey: 'main',
  activeRunId: null,
  runs: [],
  queued: [],
  settings: NO_CONVERSATION_SETTINGS,
  begunAnew: null,
  hasMore: false,
}
const after = (...events: LiveEvent[]) => applyToConversation('ada', empty, events)

test('[PG65] a run that starts and ends appears once, and is active only in between', () => {
  expect(after(started('r1'))).toMatchObject({ activeRunId: 'r1', runs: [{ partial: true }] })
  const done = after(started('r1'), ended('r1'), started('r1'))
  expect(done).toMatchObject({ activeRunId: null, runs: [{ run: { id: 'r1', state: 'ended' } }] })
  expect(after(started('r1'), started('r2'), ended('r1')).activeRunId).toBe('r2')
})

test('[PG65] a message waits until it is delivered or withdrawn, and stays when it fails', () => {
  expect(after(message('m1'), message('m2'), message('m1', { state: 'delivered' })).queued).toMatchObject([
    { id: 'm2' },
  ])
  expect(after(message('m1'), message('m1', { state: 'withdrawn' })).queued).toEqual([])
  expect(after(message('m1', { state: 'failed', reason: 'no' })).queued).toMatchObject([{ reason: 'no' }])
  const long = applyToConversation('ada', after(message('m1', { text: 'whole text' })), [
    message('m1', { text: 'whole', state: 'delivering' }),
  ])
  expect(long.queued).toMatchObject([{ text: 'whole text', state: 'delivering' }])
})

test('[PG65] other Boos and other conversations change nothing here', () => {
  const elsewhere: LiveEvent = { type: 'run-started', run: run('r9', { sessionKey: 'other' }) }
  expect(applyToConversation('kit', empty, [started('r1'), message('m1')])).toBe(empty)
  expect(after(elsewhere)).toBe(empty)
})

test('[PG65] applying the same events again changes nothing', () => {
  const any = fc.constantFrom(
    ...[started('r1'), ended('r1'), started('r2'), ended('r2')],
    message('m1', { state: 'failed' }),
  )
  fc.assert(
    fc.property(fc.array(any, { maxLength: 12 }), (events) => {
      const once = after(...events)
      expect(applyToConversation('ada', once, events).runs).toEqual(once.runs)
    }),
  )
})

test('[PG80] the list of runs adds new runs at the top, updates known runs in place and drops runs that no longer match', () => {
  const runs = [run('r2'), run('r1')]
  const ids = (list: readonly RunRecord[]) => list.map(({ id, state }) => `${id} ${state}`)
  expect(ids(applyToRuns(runs, [started('r3'), ended('r1'), started('r1')], () => true))).toEqual([
    'r3 running',
    'r2 running',
    'r1 ended',
  ])
  expect(ids(applyToRuns(runs, [ended('r1')], ({ state }) => state === 'running'))).toEqual(['r2 running'])
})

test('[PG170] a run that ends while it loads is fetched again, but a run that had ended and another run are not', () => {
  expect(hasEndedSince(run('a'), [started('a'), ended('a')])).toBe(true)
  expect(hasEndedSince(run('a'), [started('a'), ended('b')])).toBe(false)
  expect(hasEndedSince(run('a', { state: 'ended' }), [ended('a')])).toBe(false)
})
