import type { RuntimeEvent, RuntimeEventBody } from '@clawboo/core/executor'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EMPTY_FOLD, foldRun } from './fold-run.ts'

const eventsOf = (...bodies: RuntimeEventBody[]): RuntimeEvent[] =>
  bodies.map((body, index) => ({ runId: 'r', sessionId: null, ts: 1000 + index, seq: index + 1, ...body }))

const delta = (message: number, offset: number, text: string): RuntimeEventBody => ({
  type: 'text-delta',
  message,
  offset,
  text,
})
const prompt = (text: string): RuntimeEventBody => ({
  type: 'status',
  state: 'prompt-delivered',
  promptId: text,
  detail: text,
})
const call = (callId: string): RuntimeEventBody => ({ type: 'tool-call', callId, tool: 'read', input: { path: 'a' } })
const result = (callId: string, text = 'ok'): RuntimeEventBody => ({
  type: 'tool-result',
  callId,
  tool: 'read',
  text,
  isError: false,
})
const asking = (approvalId: string): RuntimeEventBody => ({
  type: 'approval-request',
  approvalId,
  callId: 'c1',
  tool: 'exec',
  action: 'rm x',
  cwd: '/w',
  reason: 'not on the list',
  mayAlwaysAllow: false,
})

test('[PG60] a run shows its messages, texts, tool calls and questions in order, and how it ended', () => {
  const fold = foldRun(
    eventsOf(
      { type: 'status', state: 'started' },
      prompt('Hello'),
      { type: 'status', state: 'model-call' },
      { type: 'reasoning-delta', message: 0, text: 'Hm' },
      { type: 'reasoning-delta', message: 0, text: 'm.' },
      delta(0, 0, 'I re'),
      delta(0, 4, 'ad.'),
      call('c1'),
      asking('a1'),
      { type: 'status', state: 'approval-answered', approvalId: 'a1', detail: 'deny' },
      result('c1', 'denied'),
      prompt('Stop that'),
      delta(1, 0, 'Done.'),
      { type: 'done', outcome: 'completed', reason: null, text: 'Done.', undelivered: [] },
    ),
  )
  expect(fold.blocks.map((block) => [block.kind, 'text' in block ? block.text : ''])).toEqual([
    ['prompt', 'Hello'],
    ['reasoning', 'Hmm.'],
    ['text', 'I read.'],
    ['tool', ''],
    ['approval', ''],
    ['prompt', 'Stop that'],
    ['text', 'Done.'],
  ])
  expect(fold.blocks[3]).toMatchObject({ result: { text: 'denied' } })
  expect(fold.blocks[4]).toMatchObject({ answer: 'deny' })
  expect(fold.end).toEqual({ outcome: 'completed', reason: null, detail: null })
})

test('[PG60] a fatal error is the end, another error is a notice, and nothing follows the end', () => {
  const error = (fatal: boolean): RuntimeEventBody => ({
    type: 'error',
    fatal,
    reason: 'model_failed',
    message: 'no answer',
    undelivered: [],
  })
  const fold = foldRun(eventsOf(error(false), error(true), delta(0, 0, 'late')))
  expect(fold.blocks).toMatchObject([{ kind: 'notice', state: 'trouble', detail: 'no answer' }])
  expect(fold.end).toEqual({ outcome: 'failed', reason: 'model_failed', detail: 'no answer' })
})

test('[PG61] the merged delta of a replay and the live deltas after it give the text once', () => {
  const events = eventsOf(delta(0, 0, 'One '), delta(0, 4, 'two '), delta(0, 8, 'three'))
  // As in a replay: the first delta's number with the whole text so far.
  const replayed = [{ ...events[0]!, text: 'One two ' } as RuntimeEvent]
  expect(foldRun(events.slice(1), foldRun(replayed)).blocks).toMatchObject([{ text: 'One two three' }])
})

const anyBody: fc.Arbitrary<RuntimeEventBody> = fc.oneof(
  fc.string({ maxLength: 6 }).map(prompt),
  fc.constantFrom('c1', 'c2').map(call),
  fc.constantFrom('c1', 'c2').map((id) => result(id)),
  fc.constantFrom('a1', 'a2').map(asking),
  fc.record({
    type: fc.constant('reasoning-delta' as const),
    message: fc.integer({ min: 0, max: 2 }),
    text: fc.string({ minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('status' as const),
    state: fc.constantFrom('retrying' as const, 'compacting' as const, 'compacted' as const, 'notice' as const),
  }),
)

test('[PG61] the same events give the same blocks, in one batch or many, once or twice', () => {
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 40 }), fc.nat(40), (bodies, cut) => {
      const events = eventsOf(...bodies)
      const atOnce = foldRun(events)
      const first = foldRun(events.slice(0, cut))
      const inTwo = foldRun(events.slice(cut), first)
      expect(inTwo.blocks).toEqual(atOnce.blocks)
      expect(foldRun(events, inTwo)).toBe(inTwo)
      expect(foldRun([], EMPTY_FOLD)).toBe(EMPTY_FOLD)
    }),
  )
})

test('[PG62] an event changes only its own block, and every other block stays the same object', () => {
  const before = foldRun(eventsOf(prompt('a'), call('c1'), result('c1'), delta(0, 0, 'x')))
  const after = foldRun([{ runId: 'r', sessionId: null, ts: 9, seq: 9, ...delta(0, 1, 'y') }], before)
  expect(after.blocks.map((block, index) => block === before.blocks[index])).toEqual([true, true, false])
})

test('[PG161] a tool call that needs approval waits, and its time starts with the answer', () => {
  const asked = foldRun(eventsOf(call('c1'), asking('a1')))
  expect(asked.blocks[0]).toMatchObject({ kind: 'tool', waits: true, endedAt: null })
  const events = eventsOf(
    call('c1'),
    asking('a1'),
    { type: 'status', state: 'approval-answered', approvalId: 'a1', detail: 'allow-once' },
    result('c1'),
  )
  const [, , answered, ended] = events
  expect(foldRun(events.slice(0, 3)).blocks[0]).toMatchObject({ waits: false, startedAt: answered!.ts })
  expect(foldRun(events).blocks[0]).toMatchObject({ startedAt: answered!.ts, endedAt: ended!.ts })
})
