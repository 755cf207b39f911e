import type { MessageRecord, RuntimeEvent, RuntimeEventBody } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { followMessage, type MessageEnd } from './follow-message.ts'

const event = (runId: string, body: RuntimeEventBody): RuntimeEvent => ({
  runId,
  sessionId: null,
  ts: 0,
  seq: 0,
  ...body,
})
const started = (runId: string) => event(runId, { type: 'status', state: 'started' })
const delivered = (runId: string, promptId: string) =>
  event(runId, { type: 'status', state: 'prompt-delivered', promptId })
const done = (runId: string) =>
  event(runId, { type: 'done', outcome: 'completed', reason: null, text: '', undelivered: [] })

const row = (overrides: Partial<MessageRecord>): MessageRecord => ({
  id: 'mine',
  agentId: 'a',
  sessionKey: 's',
  text: 'hi',
  mode: 'followup',
  model: null,
  sender: 'operator',
  state: 'queued',
  runId: null,
  reason: null,
  attempts: 0,
  createdAt: 0,
  settledAt: null,
  ...overrides,
})
const queued = row({})
const inRun = (runId: string, state: MessageRecord['state']) => row({ runId, state })

/** Each lookup returns the next row; the last row repeats. */
async function follow(runId: string | null, events: readonly RuntimeEvent[], rows: readonly (MessageRecord | null)[]) {
  const shown: RuntimeEvent[] = []
  const runs: (string | null)[] = []
  let lookups = 0
  const end: MessageEnd | null = await followMessage({
    messageId: 'mine',
    runId,
    events: (async function* () {
      yield* events
    })(),
    look: async () => rows[Math.min(lookups++, rows.length - 1)] ?? null,
    show: async (one) => void shown.push(one),
    onRun: (run) => runs.push(run),
  })
  return { end, shown, runs }
}

test('[CL45] finds a message that was joined with others in their run, and shows that run from its beginning', async () => {
  const other = [started('other'), delivered('other', 'theirs'), done('other')]
  const joined = [started('joined'), delivered('joined', 'all of them'), done('joined')]
  const rows = [queued, queued, inRun('joined', 'delivering'), inRun('joined', 'delivered')]
  const { end, shown, runs } = await follow(null, [...other, ...joined], rows)
  expect(end).toEqual({ type: 'answered', event: joined[2] })
  expect(shown).toEqual(joined)
  expect(runs).toEqual(['joined'])
})

test('[CL45] when a run ends without delivering the message, follows it into the next run', async () => {
  const [first, second] = [
    [started('one'), done('one')],
    [started('two'), delivered('two', 'mine'), done('two')],
  ]
  const rows = [inRun('one', 'delivering'), queued]
  const { end, shown, runs } = await follow('one', [...first, ...second], rows)
  expect(end).toEqual({ type: 'answered', event: second[2] })
  expect(shown).toEqual([...first, ...second])
  expect(runs).toEqual([null, 'two'])
})

test('[CL45] loses no event of the run when a lookup finds nothing', async () => {
  const joined = [started('joined'), delivered('joined', 'all of them'), done('joined')]
  const { end, shown } = await follow(null, joined, [null, inRun('joined', 'delivered')])
  expect(end).toEqual({ type: 'answered', event: joined[2] })
  expect(shown).toEqual(joined)
})

test.for(['withdrawn', 'dropped', 'failed', 'uncertain'] as const)(
  '[CL46] does not wait for a message that is %s, before its run or after it',
  async (state) => {
    const gone = row({ state, reason: 'so it is' })
    const events = [started('run'), done('run'), started('more')]
    expect((await follow(null, events, [gone])).end).toEqual({ type: 'undelivered', message: gone })
    expect((await follow('run', events, [inRun('run', 'delivering'), gone])).end).toEqual({
      type: 'undelivered',
      message: gone,
    })
  },
)

test('[CL49] reports no answer when the events stop before the run ends', async () => {
  expect((await follow(null, [started('other')], [queued])).end).toBeNull()
  expect((await follow('run', [delivered('run', 'mine')], [queued])).end).toBeNull()
})
