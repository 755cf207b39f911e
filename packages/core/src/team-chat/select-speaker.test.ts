import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openExchange } from './exchange-state.ts'
import { nextStep, type SpeakerView, selectSpeaker } from './next-step.ts'
import { message, play, speaking, testExchange, turnOf } from './test-exchange.ts'

const view = (owed: readonly string[], spoken: readonly string[] = [], ids = ['lead', 'a', 'b', 'c']): SpeakerView => ({
  participants: ids.map((agentId) => ({ agentId, isLeader: agentId === 'lead' })),
  owed,
  spoken,
})
const chosen = (...input: Parameters<typeof view>) => selectSpeaker(view(...input)).agentId

test('[TC17] the agent with the fewest turns is first, and a tie is decided by id in code units', () => {
  expect(chosen(['b', 'a'], [])).toBe('a')
  expect(chosen(['a', 'b'], ['a', 'c'])).toBe('b')
  expect(chosen(['lead', 'a'], ['lead', 'b'])).toBe('a')
  expect(chosen(['a', 'B', 'ä'], [], ['a', 'B', 'ä'])).toBe('B')
  expect(chosen(['ä', 'z'], [], ['ä', 'z'])).toBe('z')
  expect(selectSpeaker(view(['a']))).toEqual({ agentId: 'a', because: 'obligation', warning: null })
})

test('[TC17] the order of the obligations does not matter', () => {
  const ids = ['lead', 'a', 'b', 'c']
  fc.assert(
    fc.property(fc.subarray(ids, { minLength: 1 }), fc.array(fc.constantFrom(...ids)), (owed, spoken) => {
      const expected = chosen(owed, spoken)
      expect(chosen(owed.toReversed(), spoken)).toBe(expected)
      const turns = (id: string) => spoken.filter((speaker) => speaker === id).length
      const rivals = owed.filter((id) => id !== expected && (owed.length === 1 || id !== spoken.at(-1)))
      for (const rival of rivals) expect(turns(rival)).toBeGreaterThanOrEqual(turns(expected!))
    }),
  )
})

test('[TC18] no agent speaks twice in a row unless only it owes a turn', () => {
  expect(chosen(['a', 'b'], ['b', 'b', 'a'])).toBe('b')
  expect(chosen(['a'], ['a'])).toBe('a')
  expect(chosen(['a', 'a'], ['a'])).toBe('a')
})

test('[TC19] if no agent owes a turn, the leader speaks, unless it spoke last', () => {
  expect(selectSpeaker(view([]))).toEqual({ agentId: 'lead', because: 'leader', warning: null })
  expect(chosen([], ['lead', 'a'])).toBe('lead')
  expect(chosen([], ['a', 'lead'])).toBeNull()
  expect(chosen(['gone'], [])).toBe('lead')
})

test('[TC20] otherwise no agent speaks, and the exchange ends', () => {
  expect(selectSpeaker(view([], [], ['a', 'b']))).toEqual({ agentId: null, because: 'nobody', warning: null })
  const state = play(
    openExchange({ exchangeId: 'x', teamId: 't', participants: [{ agentId: 'a', isLeader: false }] }),
    message(),
  )
  expect(nextStep(state)).toMatchObject({ step: 'end', reason: 'no_pending_obligation', turns: 0 })
})

describe('leaders', () => {
  test('[TC21] of two leaders the first leads, and the step has a warning', () => {
    const participants = ['a', 'boss', 'chief'].map((agentId) => ({ agentId, isLeader: agentId !== 'a' }))
    const warning = { code: 'two_leaders', leaderId: 'boss', others: ['chief'] }
    expect(selectSpeaker({ participants, owed: [], spoken: [] })).toEqual({
      agentId: 'boss',
      because: 'leader',
      warning,
    })
    expect(selectSpeaker({ participants, owed: [], spoken: ['boss'] })).toEqual({
      agentId: null,
      because: 'nobody',
      warning,
    })
    const state = play(openExchange({ exchangeId: 'x', teamId: 't', participants }), message(['chief']))
    expect(nextStep(state)).toMatchObject({ agentId: 'chief', because: 'obligation', warning })
  })

  test('[TC22] a signal without an obligation does not nominate the leader', () => {
    const cause = { kind: 'person', chainId: 'c1' } as const
    const signal = { type: 'board', signal: 'task_assigned', taskId: 'k', askedById: null, cause } as const
    for (const assigneeId of [null, 'stranger'])
      expect(nextStep(play(testExchange('lead', 'a'), { ...signal, assigneeId }))).toMatchObject({
        step: 'end',
        reason: 'no_pending_obligation',
      })
    const taken = play(testExchange('lead', 'a'), { ...signal, assigneeId: 'a' })
    const answered = play(taken, turnOf(speaking(taken)))
    expect(nextStep(answered)).toMatchObject({ step: 'speak', agentId: 'lead', because: 'leader', chainId: 'c1' })
    expect(nextStep(play(answered, { type: 'chain_stopped', chainId: 'c1' }))).toMatchObject({ step: 'end' })
  })
})

test('[TC23] another policy can choose among the agents that owe a turn; the default replaces a choice that is not allowed', () => {
  const state = play(testExchange('lead', 'a', 'b'), message(['a', 'b']))
  const asked = (agentId: string | null, now = state) =>
    nextStep(now, undefined, () => ({ agentId, because: 'leader', warning: null }))
  expect(asked('b')).toMatchObject({ agentId: 'b', because: 'obligation', obligations: [{ agentId: 'b' }] })
  for (const wrong of ['lead', 'stranger', null]) expect(asked(wrong)).toMatchObject({ agentId: 'a' })
  const idle = play(testExchange('lead', 'a'), message())
  expect(asked('a', idle)).toMatchObject({ agentId: 'lead', because: 'leader' })
  expect(asked(null, idle)).toMatchObject({ step: 'end', reason: 'no_pending_obligation' })
})
