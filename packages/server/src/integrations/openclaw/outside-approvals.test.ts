import type { AttentionAnswer, RunGuard } from '@clawboo/core/executor'
import { expect, onTestFinished, test } from 'vitest'
import { NO_FILES } from '../../executor/run/test-run-inputs.ts'
import { openGateway } from './gateway/test-connection.ts'
import type { TestGatewayOptions } from './stand-in/test-gateway.ts'
import { Refusal } from './stand-in/test-gateway-method.ts'
import { connectTestIntegration } from './stand-in/test-integration.ts'
import { type Json, newestVersion, recordedVersions } from './stand-in/test-recordings.ts'

const GUARD: RunGuard = { mayCallModel: async () => null }
const ESCAPES = '\u001b[2J\u0000\u202e'

/** A server and a Gateway that are connected. */
async function openBoth(options: TestGatewayOptions = {}, before: (gateway: Gateway) => void = () => {}) {
  const gateway = await openGateway(options)
  before(gateway)
  const opened = await connectTestIntegration(gateway, { isStarted: true })
  onTestFinished(() => opened.dispose())
  const { attention } = opened
  const open = () => attention.list({ state: 'open', limit: 500 })
  const subjects = async () => (await open()).map(({ subjectId }) => subjectId?.replace(/^\w+:/, ''))
  const settled = async () => (await attention.list({ state: 'settled', limit: 500 })).map(({ state }) => state)
  const resolved = () =>
    gateway.sent.filter(({ method }) => method === 'exec.approval.resolve').map(({ params }) => params)
  const answer = async (answer: AttentionAnswer) => attention.answer((await open())[0]!.id, answer)
  await expect.poll(async () => (await opened.agentSource.listAgents()).length).toBe(1)
  return { ...opened, gateway, open, subjects, settled, resolved, answer }
}

type Gateway = Awaited<ReturnType<typeof openGateway>>

test.each(recordedVersions())(
  '[OC16] an approval for a run that this server did not start is requested here, and the answer reaches the Gateway once: %s',
  async (version) => {
    const { gateway, agentSource, open, answer, resolved, settled } = await openBoth({ version })
    const [agent] = await agentSource.listAgents()
    for (const decision of ['allow-once', 'deny'] as const) {
      const id = gateway.approvals.ask({ turnSourceChannel: 'telegram', command: 'touch it' })
      await expect.poll(async () => (await open()).length).toBe(1)
      const [item] = await open()
      expect(item).toMatchObject({ agentId: agent!.id, runId: null, action: { command: 'touch it' } })
      expect(item!.detail).toMatch(/^Asked outside Clawboo \(telegram\), because /)
      expect(item!.answers).toEqual((gateway.approvals.pending.get(id)!.request as Json).allowedDecisions)
      await answer(decision)
      await expect.poll(() => gateway.approvals.pending.size).toBe(0)
      expect(resolved().filter((one) => one.id === id)).toEqual([{ id, decision }])
    }
    expect(await settled()).toEqual(['answered', 'answered'])
  },
)

test('[OC16] an answer in transit is not sent a second time', async () => {
  const { gateway, open, subjects, resolved, answer } = await openBoth()
  const [arrives, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  gateway.answers['exec.approval.resolve'] = () => {
    arrives.resolve()
    return release.promise
  }
  const id = gateway.approvals.ask()
  await expect.poll(async () => (await open()).length).toBe(1)
  await answer('deny')
  await arrives.promise
  for (let time = 0; time < 3; time++) {
    const next = gateway.approvals.ask()
    await expect.poll(subjects).toContain(next)
  }
  release.resolve()
  expect(resolved()).toEqual([{ id, decision: 'deny' }])
})

test('[OC16] approvals from before the connection opened, of a subagent or a scheduled job, are requested too', async () => {
  const { open } = await openBoth({}, ({ approvals }) => {
    approvals.ask({ sessionKey: 'agent:main:subagent:6d0b', turnSourceChannel: null })
    approvals.ask({ sessionKey: 'agent:main:daily', cronExecutionSource: { jobId: 'daily' } })
    approvals.ask({ turnSourceChannel: null, agentId: 'ghost', sessionKey: 'agent:ghost:main' })
  })
  await expect.poll(async () => (await open()).length).toBe(3)
  const details = (await open()).map(({ detail }) => detail.replace(/, because.*/, '')).sort()
  expect(details).toEqual([
    'Asked outside Clawboo',
    'Asked outside Clawboo (a scheduled job)',
    'Asked outside Clawboo (a subagent)',
  ])
})

test('[OC16] after lost frames, or a list that fails at first, every approval is requested', async () => {
  let refusals = 0
  const { gateway, open } = await openBoth({}, ({ answers, approvals }) => {
    approvals.ask()
    answers['exec.approval.list'] = () => {
      delete answers['exec.approval.list']
      refusals += 1
      throw new Refusal('not now', { code: 'UNAVAILABLE' })
    }
  })
  await expect.poll(async () => (await open()).length).toBe(1)
  expect(refusals).toBe(1)
  gateway.say('tick', {})
  gateway.loseFrame()
  const id = gateway.approvals.ask()
  await expect.poll(async () => (await open()).some(({ subjectId }) => subjectId?.endsWith(id))).toBe(true)
})

test('[OC17] an approval that was settled elsewhere is withdrawn, and nothing is sent', async () => {
  const { gateway, line, open, settled, resolved } = await openBoth()
  const first = gateway.approvals.ask()
  const second = gateway.approvals.ask()
  await expect.poll(async () => (await open()).length).toBe(2)
  gateway.approvals.settle(first, 'allow-once', 'somebody')
  await expect.poll(settled).toEqual(['expired'])
  line.cut()
  gateway.approvals.settle(second, 'deny', 'approval-scope-closed')
  line.mend()
  await expect.poll(settled).toEqual(['expired', 'expired'])
  expect(resolved()).toEqual([])
})

test('[OC17] while the connection is down nothing is withdrawn, and answers are sent after it reopens', async () => {
  const { gateway, line, open, settled, resolved, answer, agentSource } = await openBoth()
  const id = gateway.approvals.ask()
  await expect.poll(async () => (await open()).length).toBe(1)
  line.cut()
  await expect.poll(async () => (await agentSource.health()).state).toBe('reconnecting')
  expect(await settled()).toEqual([])
  await answer('allow-once')
  expect(resolved()).toEqual([])
  line.mend()
  await expect.poll(() => gateway.approvals.pending.size).toBe(0)
  expect(resolved()).toEqual([{ id, decision: 'allow-once' }])
})

test('[OC17] an answer is sent again if the Gateway was not ready, and not if it was refused', async () => {
  const { gateway, open, resolved, answer } = await openBoth()
  const ready = gateway.approvals.ask()
  await expect.poll(async () => (await open()).length).toBe(1)
  gateway.answers['exec.approval.resolve'] = () => {
    delete gateway.answers['exec.approval.resolve']
    throw new Refusal('gateway draining', { code: 'UNAVAILABLE' })
  }
  await answer('deny')
  await expect.poll(() => gateway.approvals.pending.size).toBe(0)
  expect(resolved()).toEqual([ready, ready].map((id) => ({ id, decision: 'deny' })))
  const gone = gateway.approvals.ask()
  await expect.poll(async () => (await open()).length).toBe(1)
  gateway.answers['exec.approval.resolve'] = () => {
    throw new Refusal('approval already resolved', { details: { reason: 'APPROVAL_ALREADY_RESOLVED' } })
  }
  await answer('deny')
  await expect.poll(() => resolved().filter(({ id }) => id === gone)).toHaveLength(1)
  gateway.approvals.ask()
  await expect.poll(async () => (await open()).length).toBe(1)
  expect(resolved().filter(({ id }) => id === gone)).toHaveLength(1)
})

test('[OC17] after a person disconnects no approval is requested, and all are requested again after reconnecting', async () => {
  const { gateway, connection, line, subjects } = await openBoth()
  const id = gateway.approvals.ask()
  await expect.poll(subjects).toEqual([id])
  await connection.disconnect()
  expect(await subjects()).toEqual([])
  await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  await expect.poll(subjects).toEqual([id])
  const other = await openGateway()
  await connection.connect({ address: other.url, secret: other.token })
  expect(await subjects()).toEqual([])
})

test.each(recordedVersions())(
  '[OC18] an approval for one of our runs is requested only by that run: %s',
  async (version) => {
    const { gateway, agentSource, runtime, line, open } = await openBoth({ version })
    const [agent] = await agentSource.listAgents()
    const task = {
      agent: agent!,
      files: NO_FILES,
      sessionKey: `agent:${agent!.id}:room`,
      prompt: { id: 'one', text: 'play approval-allowed' },
    }
    const handle = await runtime.start(task, { runId: 'run-1', guard: GUARD, resume: null, home: null, folder: null })
    const asked: string[] = []
    void (async () => {
      for await (const event of runtime.events(handle))
        if (event.type === 'approval-request') asked.push(event.approvalId)
    })()
    await expect.poll(() => asked.length).toBe(1)
    expect([...gateway.approvals.pending.keys()]).toEqual(asked)
    gateway.loseFrame()
    const foreign = gateway.approvals.ask()
    await expect.poll(async () => (await open()).map(({ subjectId }) => subjectId?.split(':')[1])).toEqual([foreign])
    // An older Gateway sends no boot id, so the run is lost with the connection.
    if (version === newestVersion()) {
      line.cut()
      line.mend()
      await expect.poll(() => gateway.sent.filter(({ method }) => method === 'exec.approval.list').length).toBe(3)
    }
    gateway.approvals.settle(foreign, 'deny')
    await expect.poll(open).toEqual([])
    expect(asked).toHaveLength(1)
  },
)

test('[OC18] an approval that our run needed during a cut is requested by the run afterwards', async () => {
  const { gateway, agentSource, runtime, line, open } = await openBoth()
  const [agent] = await agentSource.listAgents()
  const task = {
    agent: agent!,
    files: NO_FILES,
    sessionKey: `agent:${agent!.id}:room`,
    prompt: { id: 'one', text: 'play hang' },
  }
  const handle = await runtime.start(task, { runId: 'run-1', guard: GUARD, resume: null, home: null, folder: null })
  const events: unknown[] = []
  void (async () => {
    for await (const event of runtime.events(handle)) events.push(event)
  })()
  await expect.poll(() => events.length).toBeGreaterThan(1)
  const runId = gateway.sent.find(({ method }) => method === 'chat.send')!.params.idempotencyKey
  line.cut()
  const approvalId = gateway.approvals.ask({ sessionKey: 'agent:main:room', runId })
  line.mend()
  await expect.poll(() => events).toContainEqual(expect.objectContaining({ type: 'approval-request', approvalId }))
  expect(await open()).toEqual([])
  expect(await runtime.answerApproval!(handle, approvalId, 'deny')).toBe(true)
  expect(gateway.approvals.pending.size).toBe(0)
})

test('[OC18] an approval for a Clawboo run without a live server is requested here a little later', async () => {
  const { gateway, subjects } = await openBoth()
  const orphan = gateway.approvals.ask({ runId: `clawboo-${'0'.repeat(32)}` })
  const foreign = gateway.approvals.ask()
  await expect.poll(subjects).toEqual([foreign])
  const long = gateway.approvals.ask({ runId: `clawboo-${'1'.repeat(32)}` }, { createdAtMs: Date.now() - 60_000 })
  await expect.poll(subjects).toEqual([foreign, long])
  await expect.poll(subjects).toEqual([foreign, long, orphan])
})

test('[OC19] whatever an approval list or frame contains, valid approvals are requested, with bounded text', async () => {
  const { gateway, open, subjects, agentSource } = await openBoth()
  for (const list of ['broken', 7, null, {}, { length: 3 }]) {
    gateway.answers['exec.approval.list'] = () => list
    gateway.loseFrame()
    gateway.say('tick', {})
  }
  const rows: unknown[] = [null, 7, 'x', [], {}, { id: 7 }, { id: '' }, { id: `a${ESCAPES}` }, { id: 'x'.repeat(600) }]
  rows.push(
    { id: 'bare' },
    { id: 'typed', request: { command: {}, cwd: 7, agentId: [], allowedDecisions: 'all', runId: {} } },
  )
  rows.push({
    id: 'evil',
    request: { command: `rm ${ESCAPES}\n-r`, cwd: ESCAPES, warningText: ESCAPES, turnSourceChannel: ESCAPES },
  })
  rows.push(
    { id: 'long', request: { command: 'x'.repeat(1_000_000) } },
    { id: '__proto__', request: { command: 'ls' } },
  )
  rows.push({ id: 'late', request: { command: 'ls' }, expiresAtMs: 1e300 }, { id: 'late', request: 7 })
  rows.push({ id: 'hidden', request: { command: 'ls', cwd: `/w${ESCAPES}` } })
  gateway.answers['exec.approval.list'] = () => rows
  gateway.loseFrame()
  gateway.say('tick', {})
  await expect
    .poll(subjects)
    .toEqual(expect.arrayContaining(['bare', 'typed', 'evil', 'long', '__proto__', 'late', 'hidden']))
  const items = await open()
  expect(items).toHaveLength(7)
  const of = (id: string) => items.find(({ subjectId }) => subjectId?.endsWith(`:${id}`))!
  for (const id of ['bare', 'typed', 'long', 'evil', 'hidden']) expect(of(id).answers).toEqual(['deny'])
  expect(of('evil').action!.command).toBe('rm \\u{1b}[2J\\u{0}\\u{202e}\n-r')
  for (const { title, detail, action } of items)
    expect(`${title}${detail}${action!.cwd}`).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  expect(JSON.stringify(items).length).toBeLessThan(60_000)
  for (const payload of [null, 7, [], { id: {} }, { id: 'bare', request: [] }]) {
    gateway.say('exec.approval.requested', payload)
    gateway.say('exec.approval.resolved', payload)
  }
  await expect.poll(async () => (await open()).length).toBe(6)
  expect((await agentSource.health()).state).toBe('connected')
})

test('[OC19] of ten thousand approvals the first are requested, and the others as these are settled', async () => {
  const { gateway, open, subjects } = await openBoth()
  const row = (n: number) => ({ id: `q${n}`, request: { command: 'ls' } })
  let rows = Array.from({ length: 10_000 }, (_, n) => row(n))
  gateway.answers['exec.approval.list'] = () => rows
  gateway.say('tick', {})
  gateway.loseFrame()
  gateway.say('tick', {})
  await expect.poll(async () => (await open()).length).toBe(200)
  for (let n = 10_000; n < 10_100; n++) gateway.say('exec.approval.requested', row(n))
  rows = rows.slice(50)
  gateway.say('exec.approval.resolved', { id: 'q0' })
  await expect.poll(subjects).toContain('q249')
  expect(await open()).toHaveLength(200)
})
