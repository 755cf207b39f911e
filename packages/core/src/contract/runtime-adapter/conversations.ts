import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DrivenRun } from './driven-run.ts'
import type { RunDriver, WithDriver } from './run-driver.ts'

export function describeConversations(withDriver: WithDriver): void {
  describeResuming(withDriver)
  describePasses(withDriver)
  describeCodec(withDriver)
  describeAgents(withDriver)
}

/** Returns the text that a host stores to resume the conversation of an ended run. */
async function whereabouts(driver: RunDriver, run: DrivenRun): Promise<string | null> {
  const { sessionId } = await run.done()
  if (!driver.agreed.resume) return null
  return driver.adapter.sessionCodec?.encode({ runId: run.handle.runId, sessionId }) ?? null
}

const UNFORGETTABLE = 'the word is heliotrope'

function describeResuming(withDriver: WithDriver): void {
  it(
    '[EX43] a second run remembers the first run’s conversation exactly when resuming is claimed',
    withDriver(async (driver, context) => {
      if (!driver.fixture.seenByModel) return context.skip('a fixture that cannot see what the model receives')
      const sessionKey = driver.sessionKey('long-talk')
      const first = await driver.run([{ say: UNFORGETTABLE }], { sessionKey })
      const resume = await whereabouts(driver, first)
      const { resume: claimed } = driver.agreed
      expect(resume !== null).toBe(claimed)
      const from = driver.seenSoFar()
      const second = await driver.run([{ say: 'and on' }], { sessionKey, resume })
      expect(await second.done()).toMatchObject({ outcome: 'completed' })
      expect(driver.seenByModel(from)!.includes(UNFORGETTABLE)).toBe(claimed)
    }),
  )

  it(
    '[EX43] a conversation continues in a reopened runtime',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!driver.agreed.resume) return context.skip('a runtime that resumes nothing')
      if (!fixture.reopen || !fixture.seenByModel) return context.skip('a fixture that cannot be opened anew')
      const sessionKey = driver.sessionKey('long-talk')
      const resume = await whereabouts(driver, await driver.run([{ say: UNFORGETTABLE }], { sessionKey }))
      await adapter.dispose?.()
      const reopened = await fixture.reopen()
      const from = driver.seenSoFar()
      const second = await driver.run([{ say: 'and on' }], { sessionKey, resume, adapter: reopened })
      await second.done()
      expect(driver.seenByModel(from)).toContain(UNFORGETTABLE)
      await reopened.dispose?.()
    }),
  )

  it(
    '[EX44] conversations with different keys or different agents are separate',
    withDriver(async (driver, context) => {
      if (!driver.fixture.seenByModel) return context.skip('a fixture that cannot see what the model receives')
      const sessionKey = driver.sessionKey('one-talk')
      await (await driver.run([{ say: UNFORGETTABLE }], { sessionKey })).done()
      const from = driver.seenSoFar()
      await (await driver.run([{ say: 'elsewhere' }], { sessionKey: driver.sessionKey('other-talk') })).done()
      await (await driver.run([{ say: 'someone else' }], { sessionKey, agent: driver.fixture.otherAgent })).done()
      expect(driver.seenByModel(from)).not.toContain(UNFORGETTABLE)
    }),
  )

  it(
    '[EX46] a reset conversation remembers none of the earlier messages',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.resetSession || !fixture.seenByModel) return context.skip('a runtime with nothing to begin anew')
      const sessionKey = driver.sessionKey('fresh-start')
      await (await driver.run([{ say: UNFORGETTABLE }], { sessionKey })).done()
      await adapter.resetSession(fixture.agent, sessionKey)
      const from = driver.seenSoFar()
      const second = await driver.run([{ say: 'a new leaf' }], { sessionKey })
      expect(await second.done()).toMatchObject({ outcome: 'completed' })
      expect(driver.seenByModel(from)).not.toContain(UNFORGETTABLE)
      await adapter.resetSession(fixture.agent, driver.sessionKey('never-begun'))
    }),
  )
}

function describePasses(withDriver: WithDriver): void {
  it(
    '[EX105] an answer that is only the pass token completes the run after one model call',
    withDriver(async (driver) => {
      const { passToken = 'NO_REPLY' } = driver.agreed
      const run = await driver.run([{ say: passToken }])
      const end = await run.done()
      expect(end).toMatchObject({ outcome: 'completed' })
      expect(['', passToken]).toContain(end.text.trim())
      expect(driver.modelCalls() ?? 1).toBe(1)
    }),
  )
}

function describeCodec(withDriver: WithDriver): void {
  it(
    '[EX45] an encoded resume point decodes to the same conversation',
    withDriver(async (driver) => {
      const { sessionCodec } = driver.adapter
      if (!driver.claims.resume) return expect(sessionCodec).toBeUndefined()
      if (!driver.agreed.resume) return
      const run = await driver.run([{ say: 'here' }])
      const text = await whereabouts(driver, run)
      expect(sessionCodec!.decode(text!)).toEqual({ sessionId: run.events.at(-1)!.sessionId })
      expect(sessionCodec!.encode({ runId: 'not-begun', sessionId: null })).toBeNull()
    }),
  )

  it(
    '[EX45] any text from elsewhere decodes to null',
    withDriver(async ({ adapter, claims }) => {
      const { sessionCodec } = adapter
      if (!claims.resume) return expect(sessionCodec).toBeUndefined()
      const garbage = [
        '',
        ' ',
        'null',
        '{}',
        '[]',
        '""',
        '0',
        '{"sessionId":7}',
        '{"sessionId":""}',
        '\u0000',
        '../../etc',
      ]
      for (const text of garbage) expect(sessionCodec!.decode(text), text).toBeNull()
      const anything = fc.oneof(fc.string(), fc.json(), fc.base64String())
      fc.assert(fc.property(anything, (text) => sessionCodec!.decode(text) === null))
    }),
  )
}

function describeAgents(withDriver: WithDriver): void {
  it(
    '[EX47] a line of the agent’s SOUL.md reaches the model exactly when readsFiles is claimed',
    withDriver(async (driver, context) => {
      const { soulLine, seenByModel } = driver.fixture
      if (!seenByModel) return context.skip('a fixture that cannot see what the model receives')
      if (soulLine === undefined) return expect(driver.agreed.readsFiles).toBe(false)
      await (await driver.run([{ say: 'here' }])).done()
      expect(driver.seenByModel()!.includes(soulLine)).toBe(driver.agreed.readsFiles)
    }),
  )

  it(
    '[EX48] an agent can be inspected before its first run, without a model call',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.inspect) return context.skip('a runtime that cannot be looked into')
      const inspection = await adapter.inspect(fixture.agent, driver.sessionKey('unspoken'))
      expect(inspection.model.ref).toMatch(/\S/)
      expect(inspection.systemPromptCharacters).toBeGreaterThanOrEqual(0)
      expect(driver.modelCalls() ?? 0).toBe(0)
    }),
  )

  it(
    '[EX49] forgetting an agent does not affect the others, and forgetting an unknown one does nothing',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.forget) return context.skip('a runtime that holds nothing for an agent')
      const sessionKey = driver.sessionKey('kept')
      const kept = await driver.run([{ callTool: 'held' }, { say: 'still here' }], { sessionKey })
      await kept.first('tool-call')
      await (await driver.run([{ say: 'here' }], { agent: fixture.otherAgent })).done()
      await adapter.forget('nobody')
      await adapter.forget(fixture.otherAgent.id)
      await fixture.releaseTools()
      expect(await kept.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('still here') })
      if (adapter.hasPrompt) expect(await adapter.hasPrompt(fixture.agent, sessionKey, kept.prompt.id)).toBe(true)
    }),
  )
}
