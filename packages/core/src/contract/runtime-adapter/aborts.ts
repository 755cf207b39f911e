import { expect, it } from 'vitest'
import type { DrivenRun } from './driven-run.ts'
import { type RunDriver, settle, type WithDriver } from './run-driver.ts'

export function describeAborts(withDriver: WithDriver): void {
  describeWaits(withDriver)
  describeRepeats(withDriver)
}

/** Aborts the run and checks that it makes no further model call. */
async function expectAborted(driver: RunDriver, run: DrivenRun, mostModelCalls: number): Promise<void> {
  await run.abort()
  expect(await run.done()).toMatchObject({ type: 'done', outcome: 'aborted' })
  await settle()
  expect(driver.modelCalls() ?? 0).toBeLessThanOrEqual(mostModelCalls)
}

function describeWaits(withDriver: WithDriver): void {
  it(
    '[EX15] an abort before the first event is read ends the run as aborted',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }, { callTool: 'quick' }, { say: 'never said' }])
      await expectAborted(driver, run, 1)
    }),
  )

  it(
    '[EX16] an abort while the model is silent ends the run as aborted',
    withDriver(async (driver) => {
      const run = await driver.run([{ hang: true }, { say: 'never said' }])
      await driver.silent(run)
      await expectAborted(driver, run, 1)
    }),
  )

  it(
    '[EX16] an abort in the middle of an answer ends the run as aborted',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'well' }, { wait: 60_000 }, { say: 'never said' }])
      await driver.silent(run)
      await expectAborted(driver, run, 1)
    }),
  )

  it(
    '[EX17] an abort during a tool ends the run as aborted, and the model gets no result in this run',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }, { say: 'never said' }])
      await driver.inTool(run)
      await expectAborted(driver, run, 1)
    }),
  )

  it(
    '[EX18] an abort during an open approval ends the run as aborted and closes the approval',
    withDriver(async (driver) => {
      const { adapter } = driver
      const run = await driver.run([{ askApproval: 'contract-abort' }, { callTool: 'held' }])
      if (!adapter.answerApproval || !driver.agreed.toolApproval) await run.first('tool-call')
      else {
        const { approvalId } = await run.first('approval-request')
        await expectAborted(driver, run, 1)
        expect(await adapter.answerApproval(run.handle, approvalId, 'allow-once')).toBe(false)
        return
      }
      await expectAborted(driver, run, 2)
    }),
  )

  it(
    '[EX19] an abort before the guard has answered ends the run as aborted',
    withDriver(async (driver) => {
      const asked = Promise.withResolvers<'asked'>()
      const mayCallModel = () => {
        asked.resolve('asked')
        return new Promise<null>(() => {})
      }
      const run = await driver.run([{ say: 'never said by a runtime that asks' }], { guard: { mayCallModel } })
      const came = await Promise.race([asked.promise, run.end()])
      if (came === 'asked') await expectAborted(driver, run, 0)
      else expect(driver.agreed.asksBeforeModelCall).toBe(false)
    }),
  )
}

function describeRepeats(withDriver: WithDriver): void {
  it(
    '[EX20] two simultaneous aborts end a run once',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }])
      await driver.inTool(run)
      await Promise.all([run.abort(), run.abort()])
      expect(await run.done()).toMatchObject({ outcome: 'aborted' })
      await run.abort()
    }),
  )

  it(
    '[EX20] aborting an ended run does nothing',
    withDriver(async (driver) => {
      const run = await driver.run([{ say: 'all done' }])
      expect(await run.done()).toMatchObject({ outcome: 'completed' })
      const told = run.events.length
      await run.abort()
      await settle()
      expect(run.events).toHaveLength(told)
    }),
  )

  it(
    '[EX20] aborting one run does not affect another',
    withDriver(async (driver) => {
      const stopped = await driver.run([{ callTool: 'held' }])
      const other = await driver.run([{ callTool: 'held' }, { say: 'still here' }], {
        agent: driver.fixture.otherAgent,
      })
      await Promise.all([driver.inTool(stopped), driver.inTool(other)])
      await stopped.abort()
      expect(await stopped.done()).toMatchObject({ outcome: 'aborted' })
      await driver.fixture.releaseTools()
      expect(await other.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('still here') })
    }),
  )

  it(
    '[EX21] an aborted run makes no further model call, even when its tools finish later',
    withDriver(async (driver) => {
      const run = await driver.run([{ callTool: 'held' }, { say: 'never said' }])
      await driver.inTool(run)
      await run.abort()
      await driver.fixture.releaseTools()
      expect(await run.done()).toMatchObject({ outcome: 'aborted' })
      await settle()
      expect(driver.modelCalls() ?? 0).toBeLessThanOrEqual(1)
    }),
  )

  it(
    '[EX21] the agent can run again after an abort',
    withDriver(async (driver) => {
      const run = await driver.run([{ hang: true }], { sessionKey: driver.sessionKey('again') })
      await driver.silent(run)
      await run.abort()
      await run.done()
      const second = await driver.run([{ say: 'back again' }], { sessionKey: driver.sessionKey('again') })
      expect(await second.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('back again') })
    }),
  )
}
