import { expect, it } from 'vitest'
import type { RunDriver, WithDriver } from './run-driver.ts'

export function describePrompts(withDriver: WithDriver): void {
  describeDelivery(withDriver)
  describeSteers(withDriver)
}

function describeDelivery(withDriver: WithDriver): void {
  it(
    '[EX23] a prompt is reported as delivered once, with its id and text, before the agent answers it',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'an answer' }])
      await run.done()
      const delivery = await run.first('status', (event) => event.state === 'prompt-delivered')
      expect(delivery).toMatchObject({ promptId: run.prompt.id, detail: run.prompt.text })
      expect(run.delivered()).toEqual([run.prompt.id])
      const answer = run.events.find((event) => ['text-delta', 'tool-call', 'done'].includes(event.type))
      expect(answer!.seq).toBeGreaterThan(delivery.seq)
      if (driver.fixture.seenByModel) expect(driver.seenByModel()).toContain(run.prompt.text)
    }),
  )

  it(
    '[EX24] a run that is aborted at once reports its prompt as delivered or returns it',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'perhaps' }])
      await run.abort()
      const end = await run.done()
      expect([...run.delivered(), ...end.undelivered]).toEqual([run.prompt.id])
    }),
  )

  it(
    '[EX25] a delivered prompt is in the record of its own conversation only',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.hasPrompt) return context.skip('a runtime that cannot tell after a crash')
      const sessionKey = driver.sessionKey('kept')
      expect(await adapter.hasPrompt(fixture.agent, sessionKey, 'prompt-1')).toBe(false)
      const run = await driver.run([{ callTool: 'held' }, { say: 'here' }], { sessionKey })
      await run.started()
      expect(await adapter.hasPrompt(fixture.agent, sessionKey, run.prompt.id)).toBe(true)
      await fixture.releaseTools()
      await run.done()
      expect(await adapter.hasPrompt(fixture.agent, sessionKey, run.prompt.id)).toBe(true)
      expect(await adapter.hasPrompt(fixture.agent, sessionKey, 'never-sent')).toBe(false)
      expect(await adapter.hasPrompt(fixture.agent, driver.sessionKey('elsewhere'), run.prompt.id)).toBe(false)
      expect(await adapter.hasPrompt(fixture.otherAgent, sessionKey, run.prompt.id)).toBe(false)
    }),
  )

  it(
    '[EX26] a delivered prompt is still in the record after the runtime is reopened, even after a crash',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.hasPrompt || !fixture.reopen) return context.skip('a runtime that cannot tell after a crash')
      const sessionKey = driver.sessionKey('survives')
      const run = await driver.run([{ hang: true }], { sessionKey })
      await driver.silent(run)
      if (fixture.crash) await fixture.crash()
      else await adapter.dispose?.()
      await run.end()
      const reopened = await fixture.reopen()
      expect(await reopened.hasPrompt?.(fixture.agent, sessionKey, run.prompt.id)).toBe(true)
      expect(await reopened.hasPrompt?.(fixture.agent, sessionKey, 'never-sent')).toBe(false)
      await reopened.dispose?.()
    }),
  )

  it(
    '[EX103] a run that outlived its host is ended in its own conversation only, and the conversation can continue',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.endOrphan || !fixture.reopen) return context.skip('a runtime whose runs end with their host')
      const sessionKey = driver.sessionKey('orphaned')
      const elsewhere = await driver.run([{ callTool: 'held' }, { say: 'undisturbed' }], { agent: fixture.otherAgent })
      await elsewhere.first('tool-call')
      const orphan = await driver.run([{ say: 'half' }, { hang: true }], { sessionKey })
      await orphan.first('text-delta')
      // The first host stays alive without reading, so that the test can check how its run ended.
      const reopened = await fixture.reopen()
      await reopened.endOrphan!(fixture.agent, sessionKey)
      expect(await orphan.done()).toMatchObject({ outcome: 'aborted' })
      const next = await driver.run([{ say: 'and on' }], { sessionKey, adapter: reopened })
      expect(await next.done()).toMatchObject({ outcome: 'completed', text: 'and on' })
      await fixture.releaseTools()
      expect(await elsewhere.done()).toMatchObject({ outcome: 'completed', text: 'undisturbed' })
      await reopened.endOrphan!(fixture.agent, driver.sessionKey('never-begun'))
      await reopened.dispose?.()
    }),
  )
}

/**
 * Tests both directions: a runtime that claims steering accepts a message during a run; any other runtime has no
 * `steer`.
 */
function describeSteers(withDriver: WithDriver): void {
  const steered = (work: (driver: RunDriver) => Promise<void>) =>
    withDriver((driver) => (driver.agreed.steering ? work(driver) : expectNoWayIn(driver)))

  it(
    '[EX27] a message during a tool call is accepted and reaches the model in this run',
    steered(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }, { callTool: 'quick' }, { say: 'all done' }])
      await driver.inTool(run)
      expect(await run.steer('please mind the gap')).toEqual({ accepted: true })
      await driver.fixture.releaseTools()
      expect(await run.done()).toMatchObject({ outcome: 'completed', undelivered: [] })
      expect(run.delivered()).toHaveLength(2)
      if (driver.fixture.seenByModel) expect(driver.seenByModel()).toContain('please mind the gap')
    }),
  )

  it(
    '[EX28] a message during the last answer joins this run or is returned',
    steered(async (driver) => {
      const run = await driver.run([{ callTool: 'quick' }, { wait: 50 }, { say: 'my last word' }])
      await run.first('tool-result')
      const { accepted } = await run.steer('one thing more')
      const end = await run.done()
      const id = `${run.prompt.id}-steer-1`
      const reached = run.delivered().includes(id)
      expect([reached, end.undelivered.includes(id)].filter(Boolean)).toHaveLength(accepted ? 1 : 0)
      if (driver.fixture.seenByModel) expect(driver.seenByModel()!.includes('one thing more')).toBe(reached)
    }),
  )

  it(
    '[EX28] messages that an aborted run accepted are returned unless they were delivered',
    steered(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }, { say: 'never said' }])
      await run.first('tool-call')
      const outcomes = [await run.steer('one'), await run.steer('two')]
      expect(outcomes).toEqual([{ accepted: true }, { accepted: true }])
      await run.abort()
      const end = await run.done()
      expect(run.delivered().length + end.undelivered.length).toBe(3)
    }),
  )

  it(
    '[EX29] messages reach the model in order of arrival',
    steered(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }, { callTool: 'quick' }, { say: 'all done' }])
      await run.first('tool-call')
      const texts = ['mind the first', 'mind the second', 'mind the third', 'mind the fourth']
      const outcomes = await Promise.all(texts.map((text) => run.steer(text)))
      expect(outcomes).toEqual(texts.map(() => ({ accepted: true })))
      await driver.fixture.releaseTools()
      expect(await run.done()).toMatchObject({ undelivered: [] })
      const seen = driver.seenByModel()
      if (seen === null) return
      const places = texts.map((text) => seen.indexOf(text))
      expect(places).not.toContain(-1)
      expect(places).toEqual([...places].sort((one, other) => one - other))
    }),
  )

  it(
    '[EX30] a message after the last event is refused without a model call',
    steered(async (driver) => {
      const run = await driver.run([{ say: 'all done' }])
      await run.done()
      const calls = driver.modelCalls()
      expect(await run.steer('too late')).toEqual({ accepted: false, reason: 'no_active_run' })
      await driver.adapter.abort(run.handle)
      expect(driver.modelCalls()).toBe(calls)
    }),
  )
}

async function expectNoWayIn(driver: RunDriver): Promise<void> {
  if (!driver.claims.steering) expect(driver.adapter.steer).toBeUndefined()
  const run = await driver.run([{ callTool: 'quick' }, { say: 'undisturbed' }])
  if (driver.adapter.steer) expect(await run.steer('not for this run')).toMatchObject({ accepted: false })
  expect(await run.done()).toMatchObject({ outcome: 'completed', undelivered: [] })
  expect(run.delivered()).toEqual([run.prompt.id])
}
