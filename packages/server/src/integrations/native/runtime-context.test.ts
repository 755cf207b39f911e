import type { LimitTripped, RunGuard } from '@clawboo/core/executor'
import { scriptPrompt } from '@clawboo/scripted-model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestRuntime, type TestRuntime, textsIn, type WireRequest } from './test-runtime.ts'
import { detailsOf, say } from './test-talk.ts'

let boo: TestRuntime
beforeEach(async () => {
  boo = await openTestRuntime()
})
afterEach(() => boo.dispose())

const answering = (answer: string, words: string) => scriptPrompt([[{ say: answer }]], words)
const long = (word: string, characters: number) => `${word} `.repeat(characters / (word.length + 1))
const isSummary = (call: WireRequest) =>
  textsIn(call.messages).some((text) => text.startsWith('Summarise a conversation'))

/** Counts the questions, and refuses from question `refuseFrom` on. */
function counting(refuseFrom = Number.POSITIVE_INFINITY): RunGuard & { asked: number } {
  const tripped: LimitTripped = { reason: 'model_calls_limit', scope: 'run', figure: 1, cap: 1 }
  return {
    asked: 0,
    async mayCallModel() {
      this.asked += 1
      return this.asked >= refuseFrom ? tripped : null
    },
  }
}

/** A conversation that has nearly filled the window of 30,000 tokens. */
async function nearlyFull() {
  const agent = await boo.makeAgent({ contextWindowTokens: 30_000 })
  for (const word of ['The word is heliotrope. moss', 'fern', 'reed', 'iris', 'sage', 'rush'])
    expect((await say(boo, agent, answering('noted', long(word, 3000)))).text).toBe('noted')
  expect(boo.calls().filter(isSummary)).toEqual([])
  return agent
}

test('[NR470] a conversation that outgrows the window is summarised and continues, and the summary is charged', async () => {
  const agent = await nearlyFull()
  const before = boo.calls().length
  const guard = counting()
  boo.model.playNext([{ say: 'In short: moss, fern, heliotrope.' }])
  const { events, text } = await say(boo, agent, answering('noted the last', long('palm', 9000)), { guard })
  expect(text).toBe('noted the last')
  const calls = boo.calls().slice(before)
  expect(calls.map(isSummary)).toEqual([true, false])
  expect(textsIn(calls[0]!.messages).join('')).toContain('The word is heliotrope.')
  expect(textsIn(calls[1]!.messages).join('')).toContain('In short: moss, fern, heliotrope.')
  expect(textsIn(calls[1]!.messages).join('')).not.toContain('The word is heliotrope.')
  expect(guard.asked).toBe(2)
  expect(events.filter(({ type }) => type === 'cost')).toHaveLength(2)
  expect([detailsOf(events, 'compacting').length, detailsOf(events, 'compacted').length]).toEqual([1, 1])
  expect(detailsOf(events, 'compacted')[0]).toMatch(/summarised: about \d+ tokens became \d+/)
  expect((await say(boo, agent, answering('still here', 'and on'))).text).toBe('still here')
  expect(textsIn(boo.calls().at(-1)!.messages).join('')).toContain('In short: moss, fern, heliotrope.')
})

test('[NR471] a limit that forbids the summary stops the run and leaves the conversation unchanged', async () => {
  const agent = await nearlyFull()
  const before = boo.calls().length
  const { end } = await say(boo, agent, answering('never said', long('palm', 9000)), { guard: counting(1) })
  expect(end).toMatchObject({ type: 'done', outcome: 'stopped', reason: 'model_calls_limit' })
  expect(boo.calls()).toHaveLength(before)
  boo.model.playNext([{ say: 'In short: heliotrope.' }])
  const { text } = await say(boo, agent, answering('noted the fourth', 'a few words'))
  expect(text).toBe('noted the fourth')
  expect(textsIn(boo.calls()[before]!.messages).join('')).toContain('The word is heliotrope.')
})

test('[NR472] a conversation that the provider rejects as too long is summarised and sent again', async () => {
  const agent = await boo.makeAgent({ contextWindowTokens: 60_000 })
  for (const word of ['moss', 'fern']) await say(boo, agent, answering('noted', long(word, 45_000)))
  const before = boo.calls().length
  const guard = counting()
  boo.model.playNext(
    [{ fail: { status: 400, message: 'prompt is too long: 70000 tokens > 60000 maximum' } }],
    [{ say: 'In short: moss and fern.' }],
  )
  const { events, text } = await say(boo, agent, answering('noted at last', 'and now?'), { guard })
  expect(text).toBe('noted at last')
  const calls = boo.calls().slice(before)
  expect(calls.map(isSummary)).toEqual([false, true, false])
  expect(textsIn(calls[2]!.messages).join('')).toContain('In short: moss and fern.')
  expect(guard.asked).toBe(3)
  expect(detailsOf(events, 'compacted')).toHaveLength(1)
})

test('[NR473] content that can never fit the window ends in one clear error without a model call', async () => {
  const files = { 'SOUL.md': long('moss', 11_000), 'AGENTS.md': long('fern', 11_000) }
  const agent = await boo.makeAgent({ contextWindowTokens: 4000 }, { files })
  const { events, end } = await say(boo, agent, 'hello')
  expect(end).toMatchObject({
    type: 'error',
    reason: 'context_overflow',
    message: expect.stringMatching(/take about \d+ tokens; the model's window has 4000/),
  })
  expect(boo.calls()).toEqual([])
  expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
})

test('[NR473] a single message that the provider always rejects ends with the provider’s message and no summary', async () => {
  const agent = await boo.makeAgent()
  const tooLong = [{ fail: { status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' } }]
  boo.model.playNext(tooLong, tooLong, tooLong)
  const { end } = await say(boo, agent, 'hello')
  expect(end).toMatchObject({ type: 'error', reason: 'context_overflow', message: expect.stringContaining('too long') })
  expect(boo.calls()).toHaveLength(1)
})
