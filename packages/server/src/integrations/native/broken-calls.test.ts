import type { CostEvent, RuntimeEvent } from '@clawboo/core/executor'
import { scriptPrompt } from '@clawboo/scripted-model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestRuntime, type TestRuntime } from './test-runtime.ts'
import { say, talk } from './test-talk.ts'

const WORDS = 'one two three four five six seven eight'

let boo: TestRuntime
beforeAll(async () => {
  boo = await openTestRuntime()
})
afterAll(() => boo.dispose())

const costsIn = (events: readonly RuntimeEvent[]) =>
  events.filter((event): event is RuntimeEvent & CostEvent => event.type === 'cost')

test('[CV59] a model call that is aborted in mid-answer counts the usage reported so far', async () => {
  const run = await talk(boo, await boo.makeAgent(), scriptPrompt([[{ say: WORDS }, { stall: true }]]))
  await run.until((event) => event.type === 'text-delta')
  await boo.runtime.abort(run.handle)
  expect(await run.end()).toMatchObject({ outcome: 'aborted' })
  const costs = costsIn(run.events)
  expect(costs).toMatchObject([{ model: 'scripted/boo' }])
  expect(costs[0]!.inputTokens).toBeGreaterThan(0)
  expect(costs[0]!.outputTokens).toBeGreaterThan(0)
})

test('[CV59] a model call that fails in mid-answer counts, and one that never began does not', async () => {
  const fail = { fail: { status: 400, message: 'no more' } }
  const cut = await say(boo, await boo.makeAgent(), scriptPrompt([[{ say: WORDS }, fail]]))
  expect(cut.end.type).toBe('error')
  const [cost, ...more] = costsIn(cut.events)
  expect(more).toEqual([])
  expect(cost!.outputTokens).toBeGreaterThan(0)
  const refused = await say(boo, await boo.makeAgent(), scriptPrompt([[fail]]))
  expect(refused.end.type).toBe('error')
  expect(costsIn(refused.events)).toEqual([])
})
