import { expect, test } from 'vitest'
import {
  broadcastsIn,
  type Json,
  type Recording,
  recordedVersions,
  recordingsOf,
  requestsIn,
  rowsIn,
  textsIn,
} from './stand-in/test-recordings.ts'
import { createTranslator, promptKeyOf, type Signal, type Spent, spentOf } from './translate.ts'

const turns = recordedVersions()
  .flatMap(recordingsOf)
  .filter((recording) => requestsIn(recording, 'chat.send').length > 0)
  .map((recording) => ({ title: `${recording.version}/${recording.name}`, recording }))

const signalsIn = (recording: Recording) => broadcastsIn(recording).flatMap(createTranslator())
const of = <T extends Signal['type']>(signals: readonly Signal[], type: T) =>
  signals.filter((signal) => signal.type === type) as Extract<Signal, { type: T }>[]

test('[OC40] recorded runs exist', () => {
  expect(turns.length).toBeGreaterThan(4)
})

test.each(turns)('[OC40] every run that starts also ends: $title', ({ recording }) => {
  const signals = signalsIn(recording)
  const ended = [...of(signals, 'over'), ...of(signals, 'failed')].map(({ runId }) => runId)
  for (const { runId } of of(signals, 'run-started')) expect(ended).toContain(runId)
  for (const signal of signals) if ('runId' in signal) expect(signal.runId).not.toBe('')
  // A late tool result of an aborted run may name no session.
  for (const { type, sessionKey } of signals) if (type !== 'tool-ended') expect(sessionKey).toMatch(/^agent:/)
})

test.each(turns)('[OC41] all messages of the agent are reported in order: $title', ({ recording }) => {
  const texts = signalsIn(recording).flatMap((signal) => {
    if (signal.type === 'over' && signal.how === 'aborted') return [signal.text]
    return 'message' in signal ? [signal.text] : []
  })
  const whole = texts.join('\n')
  for (const text of textsIn(recording)) expect(whole).toContain(text)
})

test.each(turns)('[OC42] every tool that ends was called before, under the same name: $title', ({ recording }) => {
  const open = new Map<string, string>()
  for (const signal of signalsIn(recording)) {
    if (signal.type === 'tool-called') {
      // A model may reuse an id, but not for two simultaneous calls.
      expect(open.has(signal.callId)).toBe(false)
      open.set(signal.callId, signal.tool)
    } else if (signal.type === 'tool-ended') {
      expect(open.get(signal.callId)).toBe(signal.tool)
      open.delete(signal.callId)
    }
  }
  expect(open.has('')).toBe(false)
})

test.each(recordedVersions())('[OC45] a denied command is reported as an error: %s', (version) => {
  const denied = turns.find(({ title }) => title === `${version}/approval-denied`)!
  expect(of(signalsIn(denied.recording), 'tool-ended')).toMatchObject([
    { tool: 'exec', isError: true, text: expect.stringContaining('user-denied') },
  ])
  const allowed = turns.find(({ title }) => title === `${version}/approval-allowed`)!
  expect(of(signalsIn(allowed.recording), 'tool-ended').map(({ isError }) => isError)).not.toContain(true)
})

test.each(turns)('[OC43] the cost of a run equals the cost in its rows: $title', ({ recording }) => {
  const rows = rowsIn(recording)
    .map(spentOf)
    .filter((spent) => spent !== null)
  const priced = rowsIn(recording).map((row) => ((row.usage as Json | undefined)?.cost as Json | undefined)?.total ?? 0)
  const sum = (values: readonly unknown[]) => values.reduce((so: number, value) => so + Number(value ?? 0), 0)
  expect(sum(rows.map(({ costUsd }) => costUsd))).toBeCloseTo(sum(priced), 12)
  const started = of(signalsIn(recording), 'run-started').map(({ runId }) => runId)
  for (const { rowId, runId, model, inputTokens } of rows) {
    expect(rowId).not.toBe('')
    expect([...started, '']).toContain(runId)
    expect(model).toMatch(/^scripted\//)
    expect(inputTokens).toBeGreaterThan(0)
  }
  const isSubscribed = requestsIn(recording, 'sessions.messages.subscribe').length > 0
  const costs = of(signalsIn(recording), 'spent').map(({ type: _, sessionKey: __, ...spent }) => spent)
  const bare = ({ runId: _, ...spent }: Spent) => spent
  if (isSubscribed && rowsIn(recording).length > 0) expect(costs.map(bare)).toEqual(rows.map(bare))
})

test.each(turns)('[OC44] a prompt is reported as stored exactly when it is in the record: $title', ({ recording }) => {
  const stored = new Set(of(signalsIn(recording), 'prompt-stored').map(({ key }) => key))
  const isSubscribed = requestsIn(recording, 'sessions.messages.subscribe').length > 0
  const rows = rowsIn(recording)
    .map(promptKeyOf)
    .filter((key) => key !== null)
  if (rows.length > 0) expect([...stored].sort()).toEqual(isSubscribed ? [...new Set(rows)].sort() : [])
  const sent = requestsIn(recording, 'chat.send').map(({ idempotencyKey }) => idempotencyKey)
  for (const key of stored) expect(sent).toContain(key)
})
