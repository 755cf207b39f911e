import { expect, it } from 'vitest'
import type { LimitTripped, RunGuard } from '../../executor/index.ts'
import type { DrivenRun } from './driven-run.ts'
import type { RunDriver, WithDriver } from './run-driver.ts'

export function describeSpending(withDriver: WithDriver): void {
  describeGuard(withDriver)
  describeCost(withDriver)
  describeModels(withDriver)
}

const TRIPPED: LimitTripped = { reason: 'usd_limit', scope: 'agent', figure: 7, cap: 5 }

/** Allows this many model calls and records the `afterSeq` of each question. */
function allowing(calls: number): RunGuard & { readonly asked: number[] } {
  const asked: number[] = []
  return {
    asked,
    mayCallModel: async (afterSeq) => (asked.push(afterSeq) > calls ? TRIPPED : null),
  }
}

/** Without `asksBeforeModelCall` a runtime need not ask the guard, but if it asks, it must obey. */
function expectMayNotAsk(driver: RunDriver): void {
  expect(driver.agreed.asksBeforeModelCall).toBe(false)
}

function describeGuard(withDriver: WithDriver): void {
  it(
    '[EX38] a guard that refuses the first call stops the run with its reason, and no model is called',
    withDriver(async (driver) => {
      const guard = allowing(0)
      const run = await driver.run([{ say: 'never said by a runtime that asks' }], { guard })
      const end = await run.done()
      if (guard.asked.length === 0) return expectMayNotAsk(driver)
      expect(end).toMatchObject({ outcome: 'stopped', reason: TRIPPED.reason })
      expect(guard.asked).toHaveLength(1)
      expect(driver.modelCalls() ?? 0).toBe(0)
    }),
  )

  it(
    '[EX38] a guard that refuses a later call stops the run there, and every tool call has a result',
    withDriver(async (driver) => {
      const guard = allowing(2)
      const script = [
        { callTool: 'quick' },
        { callTool: 'quick' },
        { say: 'never said by a runtime that asks' },
      ] as const
      const run = await driver.run(script, { guard })
      const end = await run.done()
      if (guard.asked.length === 0) return expectMayNotAsk(driver)
      expect(end).toMatchObject({ outcome: 'stopped', reason: TRIPPED.reason })
      expect(driver.modelCalls() ?? 2).toBe(2)
      const told = (type: 'tool-call' | 'tool-result') => run.events.filter((event) => event.type === type).length
      expect([told('tool-call'), told('tool-result')]).toEqual([2, 2])
    }),
  )

  it(
    '[EX39] the guard is asked before every model call, after the cost of earlier calls was reported',
    withDriver(async (driver) => {
      const guard = allowing(Number.POSITIVE_INFINITY)
      const run = await driver.run([{ callTool: 'quick' }, { callTool: 'quick' }, { say: 'all done' }], { guard })
      await run.done()
      if (guard.asked.length === 0) return expectMayNotAsk(driver)
      expect(guard.asked).toHaveLength(driver.modelCalls() ?? 3)
      const costs = costsOf(run)
      for (const [before, afterSeq] of guard.asked.entries())
        expect(costs.filter((cost) => cost.seq <= afterSeq)).toHaveLength(before)
    }),
  )
}

function describeCost(withDriver: WithDriver): void {
  it(
    '[EX40] a cost event names its model and counts tokens, and an unknown price is null',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'quick' }, { say: 'all done' }])
      await run.done()
      const costs = costsOf(run)
      if (driver.agreed.asksBeforeModelCall) expect(costs.length).toBe(driver.modelCalls() ?? 2)
      for (const cost of costs) {
        expect(cost.model).toMatch(/\S/)
        const counts = [cost.inputTokens, cost.outputTokens, cost.cacheReadTokens, cost.cacheWriteTokens]
        expect(counts.every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true)
        if (!driver.fixture.priceKnown) expect(cost.costUsd).toBeNull()
        else expect(cost.costUsd === null || (Number.isFinite(cost.costUsd) && cost.costUsd >= 0)).toBe(true)
      }
    }),
  )
}

const NO_SUCH_MODEL = 'no-such-provider/no-such-model'

/**
 * Tests both directions: a runtime that claims models accepts the ones it knows; any other refuses every model with an
 * error.
 */
function describeModels(withDriver: WithDriver): void {
  it(
    '[EX41] a run with an unknown model is refused with a clear reason, and no model is called',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'never said' }], { model: NO_SUCH_MODEL }).catch((error: Error) => error)
      const refusal = run instanceof Error ? run.message : await refusedAs(run, 'model_unknown')
      expect(refusal).toContain(NO_SUCH_MODEL)
      expect(driver.modelCalls() ?? 0).toBe(0)
    }),
  )

  it(
    '[EX41] a run can be started with a named model exactly when models are claimed',
    withDriver(async (driver, context) => {
      const { otherModel } = driver.fixture
      if (!otherModel) return context.skip('a fixture with one model')
      const run = await driver.run([{ say: 'as you like' }], { model: otherModel }).catch((error: Error) => error)
      if (!driver.agreed.models) {
        return void (run instanceof Error || (await refusedAs(run, 'model_unknown')))
      }
      if (run instanceof Error) throw run
      expect(await run.done()).toMatchObject({ outcome: 'completed' })
      for (const cost of costsOf(run)) expect(cost.model).toBe(otherModel)
    }),
  )

  it(
    '[EX41] checkModel returns null or the reason why a model cannot be used',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.checkModel) return context.skip('a runtime that cannot be asked about a model')
      expect(await adapter.checkModel(NO_SUCH_MODEL)).toContain(NO_SUCH_MODEL)
      if (fixture.otherModel && driver.agreed.models) expect(await adapter.checkModel(fixture.otherModel)).toBeNull()
      expect(driver.modelCalls() ?? 0).toBe(0)
    }),
  )

  it(
    '[EX104] a runtime with its own models lists each once, by the name it accepts',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!adapter.listModels) return context.skip('a runtime whose agents call the models of the host')
      const refs = (await adapter.listModels()).map(({ ref }) => ref)
      expect(new Set(refs).size).toBe(refs.length)
      if (fixture.otherModel) expect(refs).toContain(fixture.otherModel)
      if (driver.agreed.models) for (const ref of refs) expect(await adapter.checkModel!(ref)).toBeNull()
      expect(driver.modelCalls() ?? 0).toBe(0)
    }),
  )

  it(
    '[EX42] a model chosen during a run applies from the next call or run on, until a run names none',
    withDriver(async (driver, context) => {
      const { adapter, fixture } = driver
      if (!driver.claims.models) return expect(adapter.setModel).toBeUndefined()
      if (!driver.agreed.models) return context.skip('a program that takes no model by name')
      if (!fixture.otherModel) return context.skip('a fixture with one model')
      const run = await driver.run([{ callTool: 'held' }, { say: 'all done' }])
      await run.first('tool-call')
      await adapter.setModel!(run.handle, fixture.otherModel)
      const { seq } = run.events.at(-1)!
      await fixture.releaseTools()
      await run.done()
      const [before, after] = [
        costsOf(run).filter((cost) => cost.seq <= seq),
        costsOf(run).filter((cost) => cost.seq > seq),
      ]
      if (driver.agreed.asksBeforeModelCall) expect(after.length).toBeGreaterThan(0)
      const holdsAtOnce = driver.agreed.modelHoldsFrom !== 'run'
      for (const cost of before) expect(cost.model).not.toBe(fixture.otherModel)
      for (const cost of after) expect(cost.model === fixture.otherModel).toBe(holdsAtOnce)
      const { otherModel: model } = fixture
      const sessionKey = driver.sessionKey('talk-1')
      const named = await driver.run([{ say: 'here' }], { sessionKey, model })
      await named.done()
      if (!holdsAtOnce) expect(costsOf(named)).not.toEqual([])
      for (const cost of costsOf(named)) expect(cost.model).toBe(model)
      const unnamed = await driver.run([{ say: 'and there' }], { sessionKey })
      await unnamed.done()
      expect(costsOf(unnamed).map((cost) => cost.model)).not.toContain(model)
    }),
  )

  it(
    '[EX42] an unknown model chosen during a run is refused, and the run continues unchanged',
    withDriver(async (driver) => {
      const { adapter, fixture } = driver
      if (!driver.claims.models) return expect(adapter.setModel).toBeUndefined()
      const run = await driver.run([{ callTool: 'held' }, { say: 'all done' }])
      await run.first('tool-call')
      await expect(adapter.setModel!(run.handle, NO_SUCH_MODEL)).rejects.toThrow(NO_SUCH_MODEL)
      await fixture.releaseTools()
      expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('all done') })
      expect(new Set(costsOf(run).map((cost) => cost.model)).size).toBeLessThanOrEqual(1)
    }),
  )
}

async function refusedAs(run: DrivenRun, reason: string): Promise<string> {
  const end = await run.end()
  expect(end).toMatchObject({ type: 'error', fatal: true, reason })
  return end.type === 'error' ? end.message : ''
}

function costsOf(run: DrivenRun) {
  return run.events.flatMap((event) => (event.type === 'cost' ? [event] : []))
}
