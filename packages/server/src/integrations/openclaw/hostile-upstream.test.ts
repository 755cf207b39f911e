import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { problemOf } from './gateway/connection-problem.ts'
import { type GatewayFrame, readHello } from './gateway/gateway-frames.ts'
import { createConnection, openConnection, openGateway } from './gateway/test-connection.ts'
import { openTestRuntime } from './runtime/test-runtime.ts'
import { readSessionList } from './session-list.ts'
import { Refusal } from './stand-in/test-gateway-method.ts'
import { connectTestIntegration } from './stand-in/test-integration.ts'
import { broadcastsIn, newestVersion, recordingsOf } from './stand-in/test-recordings.ts'
import { spentOf, translate } from './translate.ts'
import { readUpstreamList } from './upstream-agents.ts'

const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\u0000\u202e'
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const recorded = recordingsOf(newestVersion())
  .flatMap(broadcastsIn)
  .filter(({ event }) => ['agent', 'chat', 'session.message'].includes(event))

/** Any JSON, and recorded frames with one part replaced by any JSON. */
const anything = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>
const anyFrame: fc.Arbitrary<GatewayFrame> = fc.oneof(
  fc.record({
    event: fc.constantFrom('agent', 'chat', 'session.message', 'exec.approval.requested', 'exec.approval.resolved'),
    payload: anything,
  }),
  fc
    .tuple(fc.constantFrom(...recorded), fc.nat({ max: 60 }), anything)
    .map(([{ event, payload }, at, other]) => ({ event, payload: replaced(payload, at, other) })),
)

test('[OC60] any frame is read without an error into texts, numbers and lists', () => {
  fc.assert(
    fc.property(anyFrame, (frame) => {
      for (const signal of translate(frame)) {
        expect(typeof signal.sessionKey).toBe('string')
        for (const [name, value] of Object.entries(signal))
          if (!['input', 'costUsd'].includes(name))
            expect(['string', 'number', 'boolean', 'object']).toContain(typeof value)
      }
    }),
  )
  fc.assert(
    fc.property(anything, (value) => {
      for (const { sourceAgentId, sessionKey } of readUpstreamList({ agents: [value] }).agents)
        expect([typeof sourceAgentId, typeof sessionKey]).toEqual(['string', 'string'])
      readSessionList(value, { id: 'a' } as Parameters<typeof readSessionList>[1])
      readHello(value)
      spentOf((value ?? {}) as Parameters<typeof spentOf>[0])
      expect(typeof problemOf(value).code).toBe('string')
    }),
    { examples: [[{ toString: 0 }], [{ auth: { scopes: [{ toString: 0 }] } }]] },
  )
})

test('[OC61] names from the prototype are treated like any other', async () => {
  for (const name of PROTOTYPE_NAMES) {
    expect(problemOf({ message: 'no', details: { code: name }, code: name })).toEqual({
      code: 'refused',
      message: 'no',
      remedy: expect.stringMatching(/\S/),
    })
    expect(translate({ event: name, payload: {} })).toEqual([])
    expect(translate({ event: 'agent', payload: { stream: name, data: {} } })).toEqual([])
  }
  const gateway = await openGateway()
  const opened = await connectTestIntegration(gateway)
  onTestFinished(() => opened.dispose())
  gateway.fleet.listAnswer = { mainKey: 'main', agents: PROTOTYPE_NAMES.map((id) => ({ id, name: id })) }
  await opened.agentSource.sync()
  const ids = (await opened.agentSource.listAgents()).map((agent) => agent.sourceAgentId)
  expect(ids.sort()).toEqual([...PROTOTYPE_NAMES].sort())
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('[OC62] invalid frames and megabyte texts do not end a connection', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  const frames: GatewayFrame[] = []
  connection.onFrame((frame) => frames.push(frame))
  for (const text of [
    '',
    'null',
    '[]',
    '{',
    '7',
    '{"type":"event"}',
    '{"type":"res"}',
    '{"type":"res","id":{}}',
    '\u0000',
  ])
    gateway.sayRaw(text)
  const long = 'x'.repeat(1_000_000)
  gateway.say('agent', { stream: 'assistant', data: { text: long } })
  gateway.say('tick', {})
  await expect.poll(() => frames.at(-1)?.event).toBe('tick')
  expect(frames.find(({ event }) => event === 'agent')).toMatchObject({ payload: { data: { text: long } } })
  await expect(connection.call('agents.list')).resolves.toMatchObject({ mainKey: 'main' })
})

test('[OC62] a run with broken frames ends once and reports their valid parts', async () => {
  const { start, gateway } = await openTestRuntime()
  const { events, ended, handle } = await start('play hang')
  await expect.poll(() => events.some(({ type }) => type === 'text-delta')).toBe(true)
  const runId = String(gateway.sent.find(({ method }) => method === 'chat.send')!.params.idempotencyKey)
  const at = { runId, sessionKey: 'agent:main:room' }
  for (const payload of [
    { ...at, stream: 'tool', data: null },
    { ...at, stream: 'assistant', data: { text: { toString: 1 }, itemId: 7 } },
    { ...at, stream: 'tool', data: { phase: 'result', toolCallId: 'never-called', result: 'no object' } },
    { ...at, stream: 'lifecycle', data: { phase: ['start'] } },
    { ...at, stream: 'thinking', data: { delta: 7 } },
    { ...at, stream: ESCAPES, data: ESCAPES },
    [],
    null,
    7,
  ])
    gateway.say('agent', payload)
  gateway.say('exec.approval.resolved', { id: null, request: { sessionKey: at.sessionKey } })
  gateway.say('session.message', {
    sessionKey: at.sessionKey,
    message: { role: 'assistant', usage: { input: '7', output: -1 } },
  })
  gateway.say('chat', { ...at, state: 'final', message: { content: [null, { type: 'text', text: 'Done.' }, 7] } })
  gateway.say('chat', { ...at, state: 'error', errorMessage: 7 })
  const all = await ended
  expect(all.at(-1)).toMatchObject({ type: 'done', outcome: 'completed' })
  expect(all.filter(({ type }) => ['tool-result', 'cost', 'reasoning-delta'].includes(type))).toEqual([])
  expect(handle.runId).toBe('run-1')
})

test('[OC63] a list with ten thousand agents, invalid entries or duplicate ids is stored as far as possible', async () => {
  const gateway = await openGateway()
  const opened = await connectTestIntegration(gateway)
  onTestFinished(() => opened.dispose())
  const { agentSource: source } = opened
  gateway.fleet.listAnswer = { agents: Array.from({ length: 10_000 }, (_, n) => ({ id: `boo-${n}` })) }
  expect(await source.sync()).toMatchObject({ added: 10_000 })
  const twice = { id: 'twice', name: 'Twice' }
  gateway.fleet.listAnswer = {
    agents: [null, 7, 'x', {}, { id: 7 }, { id: '' }, [], twice, twice, { ...twice, name: 'x' }],
  }
  await source.sync()
  expect((await source.listAgents()).map(({ sourceAgentId }) => sourceAgentId)).toEqual(['twice'])
})

test('[OC63] an answer that is not a list removes no agent', async () => {
  const gateway = await openGateway()
  const opened = await connectTestIntegration(gateway)
  onTestFinished(() => opened.dispose())
  await opened.agentSource.sync()
  for (const answer of ['broken', 7, [], {}, { agents: 'none' }, { agents: null }]) {
    gateway.fleet.listAnswer = answer
    await opened.agentSource.sync().catch(() => {})
    expect((await opened.agentSource.listAgents()).map(({ sourceAgentId }) => sourceAgentId)).toEqual(['main'])
  }
})

test('[OC64] control characters and terminal escapes in names and ids reach neither our keys nor a person', async () => {
  const gateway = await openGateway()
  const opened = await connectTestIntegration(gateway)
  onTestFinished(() => opened.dispose())
  const { agentSource: source } = opened
  const identity = { name: `Evil ${ESCAPES}`, emoji: `👻${ESCAPES}`, avatarUrl: 'javascript:alert(1)' }
  gateway.fleet.listAnswer = {
    agents: [{ id: 'good' }, { id: `evil\n${ESCAPES}` }, { id: '../../etc', identity }],
  }
  await source.sync()
  const listed = await source.listAgents()
  expect(listed.map(({ sourceAgentId }) => sourceAgentId).sort()).toEqual(['../../etc', 'good'])
  for (const agent of listed) expect(agent.id).toMatch(/^[\w-]+$/)
  const evil = listed.find(({ sourceAgentId }) => sourceAgentId === '../../etc')!
  expect(evil.avatarUrl).toBeNull()
  for (const shown of [evil.displayName, evil.emoji ?? '']) expect(shown).not.toMatch(CONTROLS)
})

test('[OC64] the text of a refusal is shortened to a readable length', async () => {
  const gateway = await openGateway()
  const { connection } = createConnection()
  gateway.answers.connect = () => {
    throw new Refusal(`no ${ESCAPES} ${'long '.repeat(100_000)}`)
  }
  await connection.open({ address: gateway.url, secret: gateway.token })
  const { message } = connection.status().problem!
  expect(message.length).toBeLessThan(2_000)
  expect(message).not.toMatch(CONTROLS)
})

/** Returns the value with its n-th part replaced, counted depth first. */
function replaced(value: unknown, at: number, other: unknown): unknown {
  let left = at
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return other
    if (Array.isArray(part)) return part.map(walk)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, walk(each)]))
  }
  return walk(value)
}
