import type { RuntimeEvent } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { NO_FILES } from '../../../executor/run/test-run-inputs.ts'
import { Refusal } from '../stand-in/test-gateway-method.ts'
import { broadcastsIn, type Json, recordedVersions, recordingsOf, rowsIn } from '../stand-in/test-recordings.ts'
import { openTestRuntime } from './test-runtime.ts'

const KEY = 'agent:main:room'
const types = (events: readonly RuntimeEvent[]) => events.map(({ type }) => type)
const saw = (events: readonly RuntimeEvent[], type: RuntimeEvent['type']) => () => types(events).includes(type)

/** Recorded runs with one prompt and no other client action. */
const turns = recordedVersions().flatMap((version) =>
  recordingsOf(version).filter(({ name, frames }) => {
    const acts = frames.filter(
      ({ from, frame }) => from === 'client' && /send|abort|resolve$/.test(String(frame.method)),
    )
    return name.startsWith('turn-') && acts.length === 1 && acts[0]!.frame.method === 'chat.send'
  }),
)

test.each(turns.map(({ version, name }) => ({ version, name })))(
  '[OC58] a recorded run is reported from its start to its end, with its cost: $version/$name',
  async ({ version, name }) => {
    const { start, gateway } = await openTestRuntime({ version })
    const { ended } = await start(`play ${name}`)
    const events = await ended
    expect(events[0]).toMatchObject({ type: 'status', state: 'started' })
    const recording = turns.find((one) => one.version === version && one.name === name)!
    const isKept = [
      ...rowsIn(recording),
      ...broadcastsIn(recording).map(({ payload }) => payload.message as Json),
    ].some((row) => row?.role === 'user')
    expect(events.filter((event) => event.type === 'status' && event.state === 'prompt-delivered')).toMatchObject(
      isKept ? [{ promptId: 'prompt-1', detail: `play ${name}` }] : [],
    )
    expect(events.at(-1)).toMatchObject({ undelivered: isKept ? [] : ['prompt-1'] })
    const costs = events.flatMap((event) => (event.type === 'cost' ? [event.costUsd ?? 0] : []))
    const rows = gateway.sessions.byKey.get(KEY)!.rows as { usage?: { cost?: { total?: number } } }[]
    const sum = (values: readonly number[]) => values.reduce((so, value) => so + value, 0)
    expect(sum(costs)).toBeCloseTo(sum(rows.map(({ usage }) => usage?.cost?.total ?? 0)), 12)
  },
)

test('[OC58] a run that ends before its start was answered is reported completely', async () => {
  const { start, gateway } = await openTestRuntime()
  gateway.sessions.isInHaste = true
  for (const name of ['turn-plain', 'turn-error-400']) {
    const events = await (await start(`play ${name}`)).ended
    expect(events[0]).toMatchObject({ type: 'status', state: 'started' })
    expect(events.at(-1)).toMatchObject({ undelivered: [] })
  }
})

test('[OC58] a prompt that the Gateway has already answered is not sent again', async () => {
  const { runtime, start, agent } = await openTestRuntime()
  const { ended } = await start('play turn-plain')
  await ended
  const sessionKey = `agent:${agent.id}:room`
  expect(await runtime.hasPrompt!(agent, sessionKey, 'prompt-1')).toBe(true)
  expect(await runtime.hasPrompt!(agent, sessionKey, 'prompt-2')).toBe(false)
  const task = { agent, files: NO_FILES, sessionKey, prompt: { id: 'prompt-1', text: 'play turn-plain' } }
  const options = { runId: 'again', resume: null } as unknown as Parameters<typeof runtime.start>[1]
  await expect(runtime.start(task, options)).rejects.toMatchObject({ code: 'message_delivered' })
})

test('[OC58] a key that was used without storing its prompt is replaced by another', async () => {
  const { runtime, start, agent, gateway } = await openTestRuntime()
  await (await start('play turn-plain')).ended
  await runtime.resetSession!(agent, `agent:${agent.id}:room`)
  const { ended } = await start('play turn-plain', { promptId: 'prompt-1' })
  expect((await ended).at(-1)).toMatchObject({ type: 'done', outcome: 'completed', undelivered: [] })
  const keys = gateway.sent.filter(({ method }) => method === 'chat.send').map(({ params }) => params.idempotencyKey)
  expect(keys).toEqual([keys[0], keys[0], `${keys[0]}-1`])
})

test('[OC57] simultaneous runs in several sessions each report their own events', async () => {
  const { start } = await openTestRuntime()
  const rooms = ['one', 'two', 'three', 'four']
  const runs = await Promise.all(rooms.map((room) => start('play turn-subscribed', { room })))
  const eventsOfRuns = await Promise.all(runs.map(({ ended }) => ended))
  for (const [at, events] of eventsOfRuns.entries()) {
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([runs[at]!.handle.runId]))
    expect(types(events)).toEqual(types(eventsOfRuns[0]!))
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: 'completed', text: 'After.', undelivered: [] })
  }
})

test('[OC59] a message during a tool call joins the run', async () => {
  const { runtime, start } = await openTestRuntime()
  const { handle, events, ended } = await start('play steer-in-tool')
  await expect.poll(saw(events, 'tool-call')).toBe(true)
  expect(await runtime.steer!(handle, { id: 'second', text: 'And this.' })).toEqual({ accepted: true })
  const all = await ended
  expect(all.filter((event) => event.type === 'status' && event.state === 'prompt-delivered')).toMatchObject([
    { promptId: 'prompt-1' },
    { promptId: 'second', detail: 'And this.' },
  ])
  expect(all.at(-1)).toMatchObject({ type: 'done', outcome: 'completed', undelivered: [] })
  expect(await runtime.steer!(handle, { id: 'third', text: 'Too late.' })).toEqual({
    accepted: false,
    reason: 'no_active_run',
  })
})

test.each(['behind-another', 'behind-another-late-row'])(
  '[OC59] a run waits for another client’s run in its session, and reports only its own answer: %s',
  async (name) => {
    const { start } = await openTestRuntime()
    const all = await (await start(`play ${name}`)).ended
    expect(all.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual(['Your turn.'])
    expect(all.at(-1)).toMatchObject({ type: 'done', outcome: 'completed', text: 'Your turn.', undelivered: [] })
  },
)

test('[OC58] an empty model answer is reported as a failure', async () => {
  const { start } = await openTestRuntime()
  const all = await (await start('play says-nothing')).ended
  expect(all.at(-1)).toMatchObject({ type: 'error', fatal: true, reason: 'model_failed', undelivered: [] })
})

/** A client without the approval capability is not asked, so not every such recording contains a question. */
const answers = recordedVersions().flatMap((version) => {
  const asking = recordingsOf(version).filter((recording) =>
    broadcastsIn(recording).some(({ event }) => event === 'exec.approval.requested'),
  )
  return ['approval-allowed', 'approval-denied', 'asks-allowed', 'asks-denied']
    .filter((name) => name.startsWith('asks') || asking.some((recording) => recording.name === name))
    .map((name) => ({ version, name, answer: name.endsWith('denied') ? ('deny' as const) : ('allow-once' as const) }))
})

test.each(answers)(
  '[OC65] a person’s answer reaches the Gateway once: $version/$name',
  async ({ version, name, answer }) => {
    const { runtime, start, gateway } = await openTestRuntime({ version })
    const { handle, events, ended } = await start(`play ${name}`)
    await expect.poll(saw(events, 'approval-request')).toBe(true)
    const asked = events.find((event) => event.type === 'approval-request')!
    expect(await runtime.answerApproval!(handle, 'no-such', answer)).toBe(false)
    expect(await runtime.answerApproval!(handle, asked.approvalId, answer)).toBe(true)
    expect(await runtime.answerApproval!(handle, asked.approvalId, answer)).toBe(false)
    const all = await ended
    expect(all.at(-1)).toMatchObject({ type: 'done', outcome: 'completed' })
    expect(all.filter((event) => event.type === 'status' && event.state === 'approval-answered')).toHaveLength(1)
    const resolutions = gateway.sent.filter(({ method }) => method === 'exec.approval.resolve')
    expect(resolutions.map(({ params }) => params.decision)).toEqual([answer])
  },
)

test('[OC66] an abort ends the run as aborted, and the session can be used again', async () => {
  const { runtime, start } = await openTestRuntime()
  const { handle, events, ended } = await start('play hang')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  await expect(start('play turn-plain')).rejects.toMatchObject({ code: 'agent_busy' })
  await Promise.all([runtime.abort(handle), runtime.abort(handle)])
  expect((await ended).at(-1)).toMatchObject({ type: 'done', outcome: 'aborted', text: 'Half a ', undelivered: [] })
  await runtime.abort(handle)
  expect((await (await start('play turn-plain')).ended).at(-1)).toMatchObject({ type: 'done', outcome: 'completed' })
})

test('[OC66] an abort during a late steering message ends the run as aborted, although its own answer is complete', async () => {
  const { runtime, start } = await openTestRuntime()
  const { handle, events, ended } = await start('play steer-late-aborted')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  expect(await runtime.steer!(handle, { id: 'late', text: 'And this.' })).toEqual({ accepted: true })
  const delivered = () =>
    events.flatMap((event) => (event.type === 'status' && event.state === 'prompt-delivered' ? [event.promptId] : []))
  await expect.poll(delivered).toEqual(['prompt-1', 'late'])
  await runtime.abort(handle)
  expect((await ended).at(-1)).toMatchObject({
    type: 'done',
    outcome: 'aborted',
    text: 'The whole answer.',
    undelivered: [],
  })
})

test('[OC66] an abort before a late message is stored returns the message and ends the run as aborted', async () => {
  const { runtime, start } = await openTestRuntime()
  const { handle, events, ended } = await start('play steer-late-withdrawn')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  expect(await runtime.steer!(handle, { id: 'late', text: 'And this.' })).toEqual({ accepted: true })
  await runtime.abort(handle)
  expect((await ended).at(-1)).toMatchObject({ type: 'done', outcome: 'aborted', undelivered: ['late'] })
})

test('[OC54] a run that the Gateway supersedes is sent again with every accepted message', async () => {
  const { runtime, start, gateway } = await openTestRuntime()
  const { handle, ended } = await start('play superseded')
  expect(await runtime.steer!(handle, { id: 'second', text: 'And this.' })).toEqual({ accepted: true })
  const again = () =>
    gateway.sent.filter(({ method, params }) => method === 'chat.send' && params.message === 'And this.')
  await expect.poll(() => again().length).toBeGreaterThan(1)
  const all = await ended
  const delivered = all.flatMap((event) =>
    event.type === 'status' && event.state === 'prompt-delivered' ? [event.promptId] : [],
  )
  const { undelivered } = all.at(-1) as { undelivered: readonly string[] }
  expect([...delivered, ...undelivered]).toEqual(['prompt-1', 'second'])
})

test('[OC54] a superseded run that cannot be sent again returns every message', async () => {
  const { runtime, start, gateway } = await openTestRuntime()
  const { handle, ended } = await start('play superseded')
  expect(await runtime.steer!(handle, { id: 'second', text: 'And this.' })).toEqual({ accepted: true })
  gateway.answers['chat.send'] = () => {
    throw new Refusal('the disk is full')
  }
  expect((await ended).at(-1)).toMatchObject({ type: 'error', fatal: true, undelivered: ['prompt-1', 'second'] })
})

test('[OC66] if an abort has no effect, the whole session is aborted, and the run ends in any case', async () => {
  const { runtime, start, gateway } = await openTestRuntime()
  const { handle, events, ended } = await start('play hang')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  gateway.answers['chat.abort'] = () => ({ ok: true, aborted: false, runIds: [] })
  gateway.answers['sessions.abort'] = () => ({ abortedRunId: null, status: 'no-active-run' })
  await runtime.abort(handle)
  expect((await ended).at(-1)).toMatchObject({ type: 'done', outcome: 'aborted', detail: expect.stringMatching(/\S/) })
  expect(gateway.sent.find(({ method }) => method === 'sessions.abort')?.params).toEqual({
    key: KEY,
    clearQueued: true,
  })
})

test('[OC67] a run whose Gateway stays offline too long is lost, and is ended at the Gateway after it reconnects', async () => {
  const { start, line, gateway } = await openTestRuntime()
  const { events, ended } = await start('play hang')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  line.cut()
  expect((await ended).at(-1)).toMatchObject({ type: 'error', fatal: true, reason: 'process_died', undelivered: [] })
  line.mend()
  await expect.poll(() => gateway.sessions.byKey.get(KEY)?.play?.underWay.size).toBe(0)
})

test('[OC67] a run whose Gateway restarts is lost, and its prompt is reported with its last known state', async () => {
  const { start, gateway } = await openTestRuntime()
  const { events, ended } = await start('play hang')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  gateway.restart()
  expect((await ended).at(-1)).toMatchObject({ type: 'error', fatal: true, reason: 'process_died', undelivered: [] })
})

test('[OC69] a run that a restarted Gateway resumes is ended there, because it was reported as lost', async () => {
  const { start, gateway } = await openTestRuntime()
  const { events, ended } = await start('play hang')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  gateway.restart()
  await ended
  const words = '[System] Your previous turn was interrupted by a gateway restart while OpenClaw was waiting.'
  const row = { role: 'user', content: words, idempotencyKey: 'taken-up-again:user', __openclaw: { id: 'row' } }
  const subscribed = () => gateway.sent.filter(({ method }) => method === 'sessions.messages.subscribe').length
  await expect.poll(subscribed).toBe(2)
  gateway.say('session.message', { sessionKey: KEY, message: row })
  const aborted = () => gateway.sent.filter(({ method }) => method === 'chat.abort').map(({ params }) => params.runId)
  await expect.poll(aborted).toContain('taken-up-again')
})

test('[OC67] a run survives a short loss of the connection', async () => {
  const { start, line, runtime } = await openTestRuntime()
  const { handle, events, ended } = await start('play steer-in-tool')
  await expect.poll(saw(events, 'tool-call')).toBe(true)
  line.cut()
  line.mend()
  await expect.poll(async () => (await runtime.health()).state).toBe('ready')
  await expect.poll(() => runtime.steer!(handle, { id: 'second', text: 'And this.' })).toEqual({ accepted: true })
  expect((await ended).at(-1)).toMatchObject({ type: 'done', outcome: 'completed', undelivered: [] })
})

test('[OC71] a run that fails without an end ends with its last message, and is ended at the Gateway', async () => {
  const { start, gateway } = await openTestRuntime()
  const { events, ended } = await start('play hang')
  await expect.poll(saw(events, 'text-delta')).toBe(true)
  const [runId] = gateway.sent.filter(({ method }) => method === 'chat.send').map(({ params }) => params.idempotencyKey)
  const lifecycle = (data: Json) => gateway.say('agent', { runId, sessionKey: KEY, stream: 'lifecycle', data })
  // The Gateway retries the first failure but not the second.
  for (const error of ['busy', 'gone for good']) {
    lifecycle({ phase: 'error', error })
    lifecycle({ phase: 'fallback_step', fallbackStepFinalOutcome: 'chain_exhausted' })
    if (error === 'busy') lifecycle({ phase: 'start' })
  }
  expect((await ended).at(-1)).toMatchObject({
    ...{ type: 'error', fatal: true, reason: 'model_failed', message: 'gone for good', undelivered: [] },
  })
  await expect
    .poll(() => gateway.sent.filter(({ method }) => method === 'chat.abort').map(({ params }) => params.runId))
    .toEqual([runId])
})

test('[OC72] a text that an older Gateway treats as a repetition is sent again until it is accepted', async () => {
  const { start, gateway } = await openTestRuntime()
  gateway.answers['chat.send'] = () => {
    delete gateway.answers['chat.send']
    return { runId: 'of-the-same-words', status: 'in_flight' }
  }
  expect((await (await start('play turn-plain')).ended).at(-1)).toMatchObject({ outcome: 'completed', undelivered: [] })
  const keys = gateway.sent.filter(({ method }) => method === 'chat.send').map(({ params }) => params.idempotencyKey)
  expect(keys).toEqual([keys[0], keys[0]])
})

test('[OC68] an unknown model is refused with the Gateway’s message before anything is sent', async () => {
  const { runtime, start, gateway } = await openTestRuntime()
  await expect(start('play turn-plain', { model: 'nowhere/nothing' })).rejects.toMatchObject({ code: 'model_unknown' })
  expect(gateway.sent.some(({ method }) => method === 'chat.send')).toBe(false)
  expect(await runtime.checkModel!('scripted/other')).toBeNull()
  expect(await runtime.checkModel!('nowhere/nothing')).toMatch(/scripted\/boo, scripted\/other/)
  await (await start('play turn-plain', { model: 'scripted/other' })).ended
  expect(gateway.sessions.byKey.get(KEY)?.model).toBe('scripted/other')
})

test.each(recordedVersions())('[OC68] a session has the permissions that its agent has here: %s', async (version) => {
  const { runtime, agentSource, agent, gateway } = await openTestRuntime({ version })
  const guarded = await agentSource.updateAgent(agent.id, { execConfig: { permissionMode: 'guarded' } })
  const task = {
    agent: guarded,
    files: NO_FILES,
    sessionKey: `agent:${agent.id}:room`,
    prompt: { id: 'p', text: 'play hang' },
  }
  const options = { runId: 'r', resume: null } as unknown as Parameters<typeof runtime.start>[1]
  const run = await runtime.start(task, options)
  expect(gateway.sessions.byKey.get(KEY)?.permissionMode).toBe('guarded')
  await runtime.abort(run)
})

test('[OC68] without a connection no run starts, and the error says what to do', async () => {
  const { runtime, start, line, connection } = await openTestRuntime()
  expect(await runtime.health()).toEqual({ state: 'ready', detail: null })
  line.cut()
  await expect.poll(async () => (await runtime.health()).state).toBe('unavailable')
  await expect(start('play turn-plain')).rejects.toMatchObject({ code: 'upstream_disconnected' })
  await connection.disconnect()
  expect(await runtime.health()).toMatchObject({ state: 'needs-setup', detail: expect.stringMatching(/\S/) })
})
