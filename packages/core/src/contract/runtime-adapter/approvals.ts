import { expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../executor/index.ts'
import type { DrivenRun } from './driven-run.ts'
import type { RunDriver, WithDriver } from './run-driver.ts'

/** Tests both directions: a runtime that claims approvals asks and waits; any other runtime never asks. */
export function describeApprovals(withDriver: WithDriver): void {
  const asked = (work: (driver: RunDriver) => Promise<void>) =>
    withDriver((driver) => (driver.agreed.toolApproval ? work(driver) : expectNeverAsked(driver)))
  describeAnswers(asked)
  describeSilence(asked)
}

type Asked = (work: (driver: RunDriver) => Promise<void>) => ReturnType<WithDriver>

function describeAnswers(asked: Asked): void {
  it(
    '[EX32] an approval request names its tool call and shows the whole action',
    asked(async (driver) => {
      const run = await driver.run([{ askApproval: 'contract-action' }, { say: 'went on' }])
      const request = await run.first('approval-request')
      const call = await run.first('tool-call')
      expect(request).toMatchObject({ callId: call.callId, tool: call.tool, reason: expect.stringMatching(/\S/) })
      expect(request.action).toContain('contract-action')
      expect(request.approvalId).toMatch(/\S/)
      expect(await answer(driver, run, 'deny')).toBe(true)
      await run.done()
    }),
  )

  it(
    '[EX33] nothing happens before the answer, and an allowed action is done',
    asked(async (driver) => {
      const run = await driver.run([{ askApproval: 'contract-action' }, { say: 'went on' }])
      await run.first('approval-request')
      expect(run.events.filter((event) => event.type === 'tool-result')).toEqual([])
      expect(await answer(driver, run, 'allow-once')).toBe(true)
      expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('went on') })
      expect(await run.first('tool-result')).toMatchObject({ isError: false })
    }),
  )

  it(
    '[EX34] a denied action is not done, and the model is told of the denial and continues',
    asked(async (driver) => {
      const run = await driver.run([{ askApproval: 'contract-action' }, { say: 'went on' }])
      await run.first('approval-request')
      expect(await answer(driver, run, 'deny')).toBe(true)
      expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('went on') })
      await expectToldAsDenied(driver, run)
    }),
  )

  it(
    '[EX37] an action that is always allowed needs no second approval',
    asked(async (driver) => {
      const run = await driver.run([
        { askApproval: 'contract-action' },
        { askApproval: 'contract-action' },
        { say: 'went on' },
      ])
      const { mayAlwaysAllow } = await run.first('approval-request')
      expect(await answer(driver, run, mayAlwaysAllow ? 'allow-always' : 'allow-once')).toBe(true)
      if (!mayAlwaysAllow) {
        await run.first('approval-request', (event) => event.approvalId !== firstRequest(run))
        await run.abort()
        return
      }
      expect(await run.done()).toMatchObject({ outcome: 'completed' })
      expect(run.events.filter((event) => event.type === 'approval-request')).toHaveLength(1)
      expect(run.events.filter((event) => event.type === 'tool-result' && !event.isError)).toHaveLength(2)
    }),
  )
}

function describeSilence(asked: Asked): void {
  it(
    '[EX35] an approval is answered only once',
    asked(async (driver) => {
      const run = await driver.run([{ askApproval: 'contract-action' }, { callTool: 'held' }, { say: 'went on' }])
      await run.first('approval-request')
      expect(await Promise.all([answer(driver, run, 'deny'), answer(driver, run, 'allow-once')])).toEqual([true, false])
      expect(await run.first('tool-result')).toMatchObject({ isError: true })
      expect(await answer(driver, run, 'allow-once')).toBe(false)
      await driver.fixture.releaseTools()
      await run.done()
      expect(await answer(driver, run, 'allow-once')).toBe(false)
    }),
  )

  it(
    '[EX35] an answer to an unknown approval returns false and changes nothing',
    asked(async (driver) => {
      const run = await driver.run([{ askApproval: 'contract-action' }, { say: 'went on' }])
      await run.first('approval-request')
      expect(await driver.adapter.answerApproval!(run.handle, 'never-asked', 'allow-once')).toBe(false)
      const stranger = { runId: 'no-such-run', sessionId: null }
      expect(await driver.adapter.answerApproval!(stranger, firstRequest(run), 'allow-once')).toBe(false)
      expect(run.events.filter((event) => event.type === 'tool-result')).toEqual([])
      expect(await answer(driver, run, 'allow-once')).toBe(true)
      await run.done()
    }),
  )
}

function firstRequest(run: DrivenRun): string {
  const request = run.events.find((event) => event.type === 'approval-request')
  if (!request) throw new Error('nothing was asked')
  return request.approvalId
}

function answer(driver: RunDriver, run: DrivenRun, given: ApprovalAnswer): Promise<boolean> {
  return driver.adapter.answerApproval!(run.handle, firstRequest(run), given)
}

/** Checks that the stream reports the denial with the same text that the model received. */
async function expectToldAsDenied(driver: RunDriver, run: DrivenRun): Promise<void> {
  const result = await run.first('tool-result')
  expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/\S/) })
  if (driver.fixture.seenByModel) expect(driver.seenByModel()).toContain(result.text.trim())
}

async function expectNeverAsked(driver: RunDriver): Promise<void> {
  if (!driver.claims.toolApproval) expect(driver.adapter.answerApproval).toBeUndefined()
  const run = await driver.run([{ askApproval: 'contract-action' }, { say: 'went on' }])
  expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('went on') })
  expect(run.events.filter((event) => event.type === 'approval-request')).toEqual([])
}
