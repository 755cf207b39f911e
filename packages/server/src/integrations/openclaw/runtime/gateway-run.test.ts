import type { RuntimeEvent } from '@clawboo/core/executor'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  findRecording,
  newestVersion,
  type Recording,
  recordedVersions,
  recordingsOf,
  requestsIn,
  rowsIn,
  textsIn,
} from '../stand-in/test-recordings.ts'
import { promptKeyOf } from '../translate.ts'
import { createFedRun, type FedSignal, fedSignalsIn, feed } from './test-fed-run.ts'

const recorded = recordedVersions().flatMap(recordingsOf)
const written = [
  'steer-in-tool',
  'behind-another',
  'behind-another-late-row',
  'says-nothing',
  'asks-allowed',
  'asks-denied',
]
  .filter((name) => recorded.every((recording) => recording.name !== name))
  .map((name) => findRecording(newestVersion(), name)!)
const turns = [...recorded, ...written]
  // Clawboo never uses this mode, and its prompts are stored under the Gateway's own key.
  .filter(({ name }) => name !== 'collect')
  .filter((recording) => requestsIn(recording, 'chat.send').length > 0)
  .map((recording) => ({
    recording,
    title: `${recording.version}/${recording.name}`,
    signals: fedSignalsIn(recording),
    kept: requestsIn(recording, 'sessions.messages.subscribe').length > 0 ? keptIn(recording) : [],
  }))

function keptIn(recording: Recording): readonly string[] {
  return rowsIn(recording)
    .map(promptKeyOf)
    .filter((key) => key !== null)
}

const of = <T extends RuntimeEvent['type']>(events: readonly RuntimeEvent[], type: T) =>
  events.filter((event) => event.type === type) as Extract<RuntimeEvent, { type: T }>[]

/** Checks the rules that hold for every stream. */
function expectLawful(events: readonly RuntimeEvent[], sent: readonly string[]): void {
  const last = events.at(-1)!
  expect(events.filter(({ type }) => type === 'done' || type === 'error')).toEqual([last])
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
  const delivered = of(events, 'status').flatMap(({ state, promptId }) =>
    state === 'prompt-delivered' ? [promptId!] : [],
  )
  const { undelivered } = last as { undelivered: readonly string[] }
  expect([...delivered, ...undelivered].sort()).toEqual([...sent].sort())
  expect(delivered).toEqual(sent.filter((id) => delivered.includes(id)))
  expect(undelivered).toEqual(sent.filter((id) => undelivered.includes(id)))
  const called = of(events, 'tool-call').map(({ callId }) => callId)
  for (const { callId } of of(events, 'tool-result')) expect(called).toContain(callId)
  const messages: string[] = []
  for (const { message, offset, text } of of(events, 'text-delta')) {
    expect(offset).toBe((messages[message] ?? '').length)
    messages[message] = (messages[message] ?? '') + text
  }
}

test.each(turns)(
  '[OC53] a recorded run ends once and reports every prompt once, in order: $title',
  async ({ signals, kept }) => {
    const fed = createFedRun()
    const sent = feed(fed, signals)
    const events = await fed.finish()
    expect(fed.ends).toHaveLength(1)
    expectLawful(events, sent)
    const { undelivered } = events.at(-1) as { undelivered: readonly string[] }
    const lost = sent.filter((id) => !kept.includes(id.slice('prompt of '.length)))
    // The recorded Gateway continued with prompts that the run would have dropped.
    if (kept.length > 0 && fed.dropped.length === 0) expect(undelivered).toEqual(lost)
  },
)

test.each(turns)('[OC41] a run reports each message in its rows once: $title', async ({ recording, signals }) => {
  const fed = createFedRun()
  const sent = feed(fed, signals)
  const prompts = signals.filter(({ type }) => type === 'sent').length
  const messages: string[] = []
  for (const { message, text } of of(await fed.finish(), 'text-delta'))
    messages[message] = (messages[message] ?? '') + text
  const kept = textsIn(recording, (runId) => fed.run.isMember(runId))
  const texts = messages.map((text) => text.trim())
  // A truncated message may be reported but not stored.
  if (fed.ends[0]?.how !== 'final') expect(texts.slice(0, kept.length)).toEqual(kept)
  // Older rows name no run, so rows after its end belong to another run.
  else if (rowsIn(recording).length > 0)
    expect(texts).toEqual(sent.length < prompts ? kept.slice(0, texts.length) : kept)
})

test.each(turns)('[OC53] duplicate frames change nothing: $title', async ({ signals }) => {
  const [once, twice] = [createFedRun(), createFedRun()]
  feed(once, signals)
  feed(
    twice,
    signals.flatMap((one): readonly FedSignal[] =>
      one.type === 'sent' || one.type === 'thought' || one.type === 'model-called' ? [one] : [one, one],
    ),
  )
  const bare = (events: readonly RuntimeEvent[]) => events.map(({ ts: _, ...event }) => event)
  expect(bare(await twice.finish())).toEqual(bare(await once.finish()))
})

test('[OC54] with frames in any order and any frames missing, a run ends at most once and loses no prompt', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...turns)
        .chain(({ signals }) =>
          fc.tuple(
            fc.constant(signals),
            fc.shuffledSubarray([...signals.keys()]),
            fc.array(fc.nat({ max: Math.max(0, signals.length - 1) }), { maxLength: 20 }),
          ),
        ),
      async ([signals, order, again]) => {
        const fed = createFedRun()
        const sent = signals.filter((one) => one.type === 'sent')
        const rest = [...order, ...again].map((at) => signals[at]!).filter((one) => one.type !== 'sent')
        const taken = feed(fed, [...sent.slice(0, 1), ...rest.slice(0, 3), ...sent.slice(1), ...rest.slice(3)])
        expect(fed.ends.length).toBeLessThanOrEqual(1)
        expectLawful(await fed.finish(), taken)
      },
    ),
  )
})

test('[OC55] a steering prompt that came too late belongs to the run until it ends', async () => {
  const fed = createFedRun()
  const at = { sessionKey: 'agent:main:x' }
  const final = { type: 'over', how: 'final', problem: '', ...at } as const
  fed.run.send({ id: 'one', text: 'One' }, 'k1')
  fed.run.take({ type: 'run-started', runId: 'k1', sessionId: 's', ...at })
  fed.run.send({ id: 'two', text: 'Two' }, 'k2')
  fed.run.take({ ...final, runId: 'k1', text: 'First.' })
  expect(fed.ends).toEqual([])
  expect(fed.run.unsettled).toEqual(['k2'])
  fed.run.take({ type: 'run-started', runId: 'k2', sessionId: 's', ...at })
  fed.run.take({ type: 'prompt-stored', key: 'k1', into: null, ...at })
  fed.run.take({ type: 'prompt-stored', key: 'k2', into: null, ...at })
  fed.run.take({ ...final, runId: 'k2', text: 'Second.' })
  expect(fed.ends).toHaveLength(1)
  const events = await fed.finish()
  expectLawful(events, ['one', 'two'])
  expect(events.at(-1)).toMatchObject({ type: 'done', undelivered: [], text: 'Second.' })
})

test('[OC55] prompts that wait behind a failed run are dropped and returned', async () => {
  const fed = createFedRun()
  const at = { sessionKey: 'agent:main:x' }
  fed.run.send({ id: 'one', text: 'One' }, 'k1')
  fed.run.take({ type: 'run-started', runId: 'k1', sessionId: 's', ...at })
  fed.run.take({ type: 'prompt-stored', key: 'k1', into: null, ...at })
  fed.run.send({ id: 'two', text: 'Two' }, 'k2')
  fed.run.take({ type: 'over', runId: 'k1', how: 'error', text: null, problem: 'no key', ...at })
  expect([fed.ends, fed.dropped]).toEqual([[], [['k2']]])
  fed.run.take({ type: 'over', runId: 'k2', how: 'aborted', text: null, problem: '', ...at })
  expect(fed.ends).toHaveLength(1)
  const events = await fed.finish()
  expect(events.at(-1)).toMatchObject({ undelivered: ['two'] })
})

test('[OC56] an approval is requested once', async () => {
  const asked = {
    type: 'approval-asked',
    sessionKey: 'agent:main:x',
    runId: 'k1',
    agentId: 'main',
    origin: '',
    approvalId: 'a1',
    callId: 'c1',
    command: 'rm -r /',
    cwd: '/',
    reason: 'rules',
    mayAlwaysAllow: false,
    answers: ['allow-once', 'deny'],
    askedAt: 0,
    expiresAt: 0,
  } as const
  const fed = createFedRun()
  fed.run.send({ id: 'one', text: 'One' }, 'k1')
  fed.run.take(asked)
  fed.run.take(asked)
  expect([fed.run.takeApproval('a1'), fed.run.takeApproval('a1'), fed.run.takeApproval('a2')]).toEqual([
    true,
    false,
    false,
  ])
  fed.run.take({ type: 'approval-over', sessionKey: 'agent:main:x', approvalId: 'a1' })
  const events = await fed.finish()
  expect(of(events, 'approval-request')).toHaveLength(1)
  expect(of(events, 'status').filter(({ state }) => state === 'approval-answered')).toHaveLength(1)
})

test('[OC57] frames of other runs are ignored', async () => {
  const fed = createFedRun()
  const others = { sessionKey: 'agent:main:x', runId: 'somebody-elses' }
  fed.run.send({ id: 'one', text: 'One' }, 'k1')
  fed.run.take({ type: 'run-started', ...others, sessionId: 's' })
  fed.run.take({ type: 'text', ...others, message: 'm', text: 'Not for you.' })
  fed.run.take({ type: 'tool-called', ...others, callId: 'c', tool: 'exec', input: {} })
  fed.run.take({ type: 'over', ...others, how: 'final', text: 'x', problem: '' })
  expect(fed.ends).toEqual([])
  expect(await fed.finish()).toMatchObject([{ type: 'done', undelivered: ['one'], text: '' }])
})
