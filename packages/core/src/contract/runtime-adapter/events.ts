import { expect, it } from 'vitest'
import type { RuntimeEvent } from '../../executor/index.ts'
import type { DrivenRun } from './driven-run.ts'
import { settle, type WithDriver } from './run-driver.ts'

export function describeEvents(withDriver: WithDriver): void {
  describeStream(withDriver)
  describeWords(withDriver)
  describeFaults(withDriver)
}

function describeStream(withDriver: WithDriver): void {
  it(
    '[EX1] a run and all its events have the id that the host chose',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'here' }])
      await run.done()
      expect(run.handle.runId).toBe('contract-run-1')
      expect(new Set(run.events.map((event) => event.runId))).toEqual(new Set(['contract-run-1']))
    }),
  )

  it(
    '[EX2] event numbers strictly increase in a run with tools and several messages',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'first' }, { callTool: 'quick' }, { say: 'second' }])
      await run.done()
      const numbers = run.events.map((event) => event.seq)
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
      expect(numbers.length).toBeGreaterThan(3)
    }),
  )

  it(
    '[EX3] exactly one event ends a run, and it is the last of the stream',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'here' }])
      expect(await run.end()).toMatchObject({ type: 'done', outcome: 'completed', reason: null, undelivered: [] })
      const told = run.events.length
      await settle()
      expect(run.events).toHaveLength(told)
    }),
  )

  it(
    '[EX4] events between the call of events() and the first read are not lost',
    withDriver(async (driver) => {
      const { adapter, fixture } = driver
      const prompt = { id: 'unread', text: fixture.prompt([{ callTool: 'quick' }, { say: 'kept for later' }]) }
      const handle = await adapter.start(
        { agent: fixture.agent, files: driver.files, sessionKey: driver.sessionKey('unread'), prompt },
        {
          runId: 'unread',
          guard: { mayCallModel: async () => null },
          resume: null,
          home: await driver.home(),
          folder: null,
        },
      )
      const stream = adapter.events(handle)
      while (fixture.modelCalls && fixture.modelCalls() < 2) await settle()
      await settle()
      const events: RuntimeEvent[] = []
      for await (const event of stream) events.push(event)
      expect(events.filter((event) => event.type === 'status' && event.state === 'prompt-delivered')).toHaveLength(1)
      expect(events.filter((event) => event.type === 'tool-call')).toHaveLength(1)
      expect(events.at(-1)).toMatchObject({ type: 'done', text: expect.stringContaining('kept for later') })
    }),
  )

  it(
    '[EX5] the conversation’s id never changes once known, and the last event has it when a run can be resumed',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'quick' }, { say: 'here' }])
      const end = await run.done()
      const told = run.events.map((event) => event.sessionId).filter((id) => id !== null)
      expect(new Set(told).size).toBeLessThanOrEqual(1)
      if (driver.agreed.resume) expect(end.sessionId).toEqual(expect.any(String))
    }),
  )

  it(
    '[EX12] two agents run at once, and each stream contains only its own run',
    withDriver(async (driver) => {
      const { agent, otherAgent } = driver.fixture
      const one = await driver.run([{ callTool: 'held' }, { say: 'left answer' }], { agent })
      const other = await driver.run([{ callTool: 'held' }, { say: 'right answer' }], { agent: otherAgent })
      await Promise.all([one.first('tool-call'), other.first('tool-call')])
      await driver.fixture.releaseTools()
      const [left, right] = [await one.done(), await other.done()]
      expect([left.text, right.text]).toEqual([
        expect.stringContaining('left answer'),
        expect.stringContaining('right answer'),
      ])
      expect(spoken(one)).not.toContain('right')
      expect(spoken(other)).not.toContain('left')
      if (left.sessionId !== null) expect(right.sessionId).not.toBe(left.sessionId)
    }),
  )

  it(
    '[EX22] disposing ends active runs as not completed, and no run starts afterwards',
    withDriver(async (driver, context) => {
      if (!driver.adapter.dispose) return context.skip('a runtime with nothing to dispose')
      const runs = [
        await driver.run([{ hang: true }]),
        await driver.run([{ callTool: 'held' }], { agent: driver.fixture.otherAgent }),
      ]
      await Promise.all([driver.silent(runs[0]!), driver.inTool(runs[1]!)])
      await driver.adapter.dispose()
      for (const run of runs) expect(await run.end()).not.toMatchObject({ outcome: 'completed' })
      await expect(driver.run([{ say: 'too late' }])).rejects.toBeInstanceOf(Error)
      await expect(driver.adapter.dispose()).resolves.toBeUndefined()
    }),
  )
}

function describeWords(withDriver: WithDriver): void {
  it(
    '[EX6] deltas join without gaps within each message, and the last message is the text of the end',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'Let me look.' }, { callTool: 'quick' }, { say: 'It is all there: é 🌿.' }])
      const end = await run.done()
      expect(end.text).toContain('It is all there: é 🌿.')
      expect(end.text).not.toContain('Let me look.')
      const messages = new Map<number, string>()
      for (const event of run.events) {
        if (event.type !== 'text-delta' || event.block) continue
        const soFar = messages.get(event.message) ?? ''
        expect(event.offset).toBe(soFar.length)
        messages.set(event.message, soFar + event.text)
      }
      if (messages.size > 0) expect([...messages.values()].at(-1)).toBe(end.text)
    }),
  )

  it(
    '[EX7] a runtime that claims streaming sends deltas while the message is still being written',
    withDriver(async (driver) => {
      if (!driver.agreed.streaming) return expectWholeMessages(await driver.run(CHATTER))
      const run = await driver.run([{ say: 'early words' }, { hang: true }])
      await run.first('text-delta', (event) => event.text.includes('early'))
      expect(run.closed).toBe(false)
      await run.abort()
      expect(await run.done()).toMatchObject({ outcome: 'aborted' })
    }),
  )

  it(
    '[EX8] the agent’s thoughts are not part of its messages',
    withDriver(async (driver) => {
      const run = await driver.run([{ think: 'a private thought' }, { say: 'a public word' }])
      const end = await run.done()
      expect(end.text).toContain('a public word')
      expect(end.text + spoken(run)).not.toContain('private')
    }),
  )

  it(
    '[EX9] every tool call has one later result that names it',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'quick' }, { callTool: 'quick' }, { say: 'both done' }])
      await run.done()
      const calls = run.events.flatMap((event) => (event.type === 'tool-call' ? [event] : []))
      const results = run.events.flatMap((event) => (event.type === 'tool-result' ? [event] : []))
      expect(calls).toHaveLength(2)
      expect(results.map(({ callId, tool }) => ({ callId, tool }))).toEqual(
        calls.map(({ callId, tool }) => ({ callId, tool })),
      )
      expect(results.every((result) => !result.isError && typeof result.text === 'string')).toBe(true)
      expect(results.every((result, n) => result.seq > calls[n]!.seq)).toBe(true)
    }),
  )
}

function describeFaults(withDriver: WithDriver): void {
  it(
    '[EX10] a fatal failure ends the run with a reason code and a message for a person',
    withDriver(async (driver) => {
      const run = await driver.run([{ failFatally: 'the model is out of order' }])
      const end = await run.end()
      // A person has no model that could fail, so a person refuses instead.
      const reason = driver.fixture.adapter.participantKind === 'human' ? 'refused' : 'model_failed'
      expect(end).toMatchObject({
        type: 'error',
        fatal: true,
        reason,
        message: expect.stringMatching(/\S/),
      })
    }),
  )

  it(
    '[EX10] a failure in the middle of a run retracts no earlier event',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'quick' }, { failFatally: 'the model is out of order' }])
      expect(await run.end()).toMatchObject({ type: 'error', fatal: true })
      expect(run.events.filter((event) => event.type === 'tool-result')).toHaveLength(1)
      expect(run.delivered()).toEqual([run.prompt.id])
    }),
  )

  it(
    '[EX11] a runtime whose process dies ends its runs with a fatal error',
    withDriver(async (driver, context) => {
      if (!driver.fixture.crash) return context.skip('a runtime with no process of its own')
      const run = await driver.run([{ callTool: 'held' }, { say: 'never said' }])
      await driver.inTool(run)
      await driver.fixture.crash()
      expect(await run.end()).toMatchObject({ type: 'error', fatal: true, reason: 'process_died' })
    }),
  )
}

const CHATTER = [{ say: 'one two three' }, { callTool: 'quick' }, { say: 'four five six' }] as const

/** Without the claim, each message arrives in one piece or at the end. */
async function expectWholeMessages(run: DrivenRun): Promise<void> {
  await run.done()
  const messages = run.events.flatMap((event) => (event.type === 'text-delta' ? [event.message] : []))
  expect(messages).toEqual([...new Set(messages)])
}

function spoken(run: DrivenRun): string {
  return run.events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}
