import fc from 'fast-check'
import { expect, test } from 'vitest'
import { previewWake } from './preview-wake.ts'
import { message, play, playOut, post, speaking, testExchange, turnOf } from './test-exchange.ts'

const prices = new Map<string, number | null>([
  ['lead', 0.5],
  ['a', 0.25],
  ['b', 0.125],
])
const preview = (mentions: readonly string[], skip: readonly string[] = [], averageUsd = prices, maxTurns = 5) =>
  previewWake({ state: testExchange('lead', 'a', 'b'), mentions, skip, policy: { maxTurns }, averageUsd })
const who = (...input: Parameters<typeof preview>) =>
  preview(...input).wakes.map(({ agentId, because }) => `${agentId} ${because}`)

test('[TC54] a preview lists the agents that would run, in order, with reasons', () => {
  expect(who([])).toEqual(['lead leader'])
  expect(who(['b', 'a'])).toEqual(['a mention', 'b mention', 'lead leader'])
  expect(who(['lead'])).toEqual(['lead mention'])
  expect(who(['a', 'b'], [], prices, 1)).toEqual(['a mention'])
})

test('[TC54] a preview equals the exchange in which no agent wakes another', () => {
  const ids = ['lead', 'a', 'b', 'c', 'd']
  const some = fc.array(fc.constantFrom(...ids, 'stranger'), { maxLength: 5 })
  fc.assert(
    fc.property(some, some, fc.integer({ min: 1, max: 50 }), (mentions, skip, maxTurns) => {
      const state = testExchange(...ids)
      const policy = { maxTurns }
      const { wakes, turnsAtMost } = previewWake({ state, mentions, skip, policy, averageUsd: new Map() })
      const real = playOut(state, [message(mentions, { skip })], policy, (_, turn) => [turn])
      expect(wakes.map(({ agentId }) => agentId)).toEqual(real.turns.map(({ agentId }) => agentId))
      const chatty = playOut(state, [message(mentions, { skip })], policy, (step, turn) => [
        { ...turn, posts: [post(`${step.turn}`, ...ids)] },
      ])
      expect(chatty.turns.length).toBeLessThanOrEqual(turnsAtMost)
    }),
  )
})

test('[TC54] a message to a running exchange is previewed in it', () => {
  const begun = play(testExchange('lead', 'a', 'b'), message(['a', 'b']))
  const state = play(begun, turnOf(speaking(begun), [post('hi')]))
  const { wakes, turnsAtMost } = previewWake({ state, mentions: [], skip: [], averageUsd: prices })
  expect(wakes.map(({ agentId, because }) => `${agentId} ${because}`)).toEqual(['b mention', 'lead message'])
  expect(turnsAtMost).toBe(4)
})

test('[TC55] a preview has the maximum number of turns', () => {
  expect(preview(['a']).turnsAtMost).toBe(5)
  expect(preview(['a'], [], prices, 50).turnsAtMost).toBe(6)
  expect(preview(['a'], ['b'], prices, 50).turnsAtMost).toBe(4)
  expect(preview([], ['lead'])).toEqual({ wakes: [], dropped: [], turnsAtMost: 0, estimatedUsd: 0, mostUsd: 0 })
})

test('[TC56] the estimate uses averages, and is unknown if one is unknown', () => {
  expect(preview(['a', 'b'])).toMatchObject({ estimatedUsd: 0.875, mostUsd: 2.5 })
  expect(preview(['a']).wakes).toEqual([
    { agentId: 'a', because: 'mention', estimatedUsd: 0.25 },
    { agentId: 'lead', because: 'leader', estimatedUsd: 0.5 },
  ])
  for (const unknown of [null, undefined, Number.NaN, -1]) {
    const some = new Map([...prices].filter(([id]) => id !== 'b'))
    if (unknown !== undefined) some.set('b', unknown)
    expect(preview(['a'], [], some)).toMatchObject({ estimatedUsd: 0.75, mostUsd: null })
    expect(preview(['b'], [], some)).toMatchObject({ estimatedUsd: null, mostUsd: null })
    expect(preview(['a'], ['b'], some)).toMatchObject({ mostUsd: 2 })
  }
})

test('[TC57] a skipped agent does not run, and a mentioned agent that cannot run is listed', () => {
  expect(who(['a', 'b'], ['b'])).toEqual(['a mention', 'lead leader'])
  expect(who(['a'], ['lead'])).toEqual(['a mention'])
  expect(preview(['a', 'stranger', 'b'], ['b']).dropped.map(({ agentId, reason }) => `${agentId} ${reason}`)).toEqual([
    'stranger not_a_member',
    'b skipped',
  ])
})
