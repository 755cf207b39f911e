import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_EXCHANGE_POLICY, type ExchangeEvent, MAX_TURNS, turnBound } from './exchange-state.ts'
import { nextStep } from './next-step.ts'
import { message, play, playOut, post, speaking, testExchange, turnOf } from './test-exchange.ts'

const ids = (count: number) => Array.from({ length: count }, (_, at) => `a${String(at).padStart(3, '0')}`)

test('[TC24] the bound is the cap, or twice the number of active participants', () => {
  const bound = (count: number, maxTurns: number) => turnBound(testExchange(...ids(count)), { maxTurns })
  expect(bound(2, 50)).toBe(4)
  expect(bound(2, 3)).toBe(3)
  expect(bound(17, 50)).toBe(34)
  expect(bound(0, 50)).toBe(0)
  expect(turnBound(play(testExchange('a', 'b', 'c'), message([], { skip: ['b', 'stranger'] })), { maxTurns: 50 })).toBe(
    4,
  )
})

test('[TC25] the cap is 5, and stays between 1 and 50', () => {
  const bound = (maxTurns: number) => turnBound(testExchange(...ids(100)), { maxTurns })
  expect(turnBound(testExchange(...ids(100)))).toBe(5)
  expect(DEFAULT_EXCHANGE_POLICY).toEqual({ maxTurns: MAX_TURNS.default })
  expect([-1, 0, 1, 7, 50, 51, 1e9].map(bound)).toEqual([1, 1, 1, 7, 50, 50, 50])
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 2.5, '9' as unknown as number])
    expect(bound(wrong)).toBe(5)
})

test('[TC26] at the bound, no policy is called', () => {
  const state = play(testExchange('lead', 'a'), message(['a']))
  const once = play(state, turnOf(speaking(state), [post('hi', 'lead')]))
  const refuse = () => expect.fail('a speaker was chosen')
  expect(nextStep(once, { maxTurns: 1 }, refuse)).toMatchObject({ reason: 'max_turns' })
  for (const type of ['aborted', 'budget_paused'] as const)
    expect(nextStep(play(state, { type }), undefined, refuse)).toMatchObject({ reason: type })
})

test('[TC27] if several reasons apply, the first one counts', () => {
  const owing = play(testExchange('lead', 'a'), message(['a']))
  const full = play(owing, turnOf(speaking(owing), [post('hi', 'lead')]))
  const settled = play(owing, turnOf(speaking(owing)))
  const reason = (...events: readonly ExchangeEvent[]) => nextStep(play(full, ...events), { maxTurns: 1 })
  expect(reason({ type: 'budget_paused' }, { type: 'aborted' })).toMatchObject({ reason: 'aborted' })
  expect(reason({ type: 'aborted' }, { type: 'budget_paused' })).toMatchObject({ reason: 'aborted' })
  expect(reason({ type: 'budget_paused' })).toMatchObject({ reason: 'budget_paused' })
  expect(reason()).toMatchObject({ reason: 'max_turns' })
  expect(nextStep(settled, { maxTurns: 1 })).toMatchObject({ reason: 'no_pending_obligation' })
  expect(nextStep(play(settled, { type: 'budget_paused' }))).toMatchObject({ reason: 'budget_paused' })
})

test('[TC28] the reason is the cap only if turns are owed, and the end lists them', () => {
  const begun = play(testExchange('lead', 'a', 'b'), message(['a', 'b']))
  const once = play(begun, turnOf(speaking(begun), [post('hi')]))
  const end = nextStep(once, { maxTurns: 1 })
  expect(end).toMatchObject({ step: 'end', reason: 'max_turns', turns: 1, bound: 1, pending: [{ agentId: 'b' }] })
  const done = play(once, turnOf(speaking(once), [post('ho')]))
  // The leader could be nominated, but no agent owes a turn.
  expect(nextStep(done, { maxTurns: 2 })).toMatchObject({ reason: 'no_pending_obligation', pending: [] })
  expect(nextStep(done, { maxTurns: 3 })).toMatchObject({ step: 'speak', agentId: 'lead' })
})

test('[TC29] a pass is a turn', () => {
  const begun = play(testExchange('lead', 'a'), message(['a']))
  const passed = play(begun, turnOf(speaking(begun), [post(' NO_REPLY\n', 'lead')]))
  expect(passed.turns).toMatchObject([{ agentId: 'a', passed: true }])
  expect(passed.obligations).toEqual([])
  expect(nextStep(passed, { maxTurns: 1 })).toMatchObject({ reason: 'no_pending_obligation', turns: 1 })
})

test('[TC31] 200 idle agents take no turn, however much time passes', () => {
  const idle = testExchange(...ids(200))
  for (let hour = 0; hour < 24; hour += 1)
    expect(nextStep(idle, { maxTurns: 50 })).toMatchObject({ step: 'end', reason: 'no_pending_obligation', turns: 0 })
  const cause = { kind: 'host', chainId: 'tick' } as const
  const { turns } = playOut(
    idle,
    [{ type: 'board', signal: 'task_assigned', taskId: 'k', assigneeId: null, askedById: null, cause }],
    { maxTurns: 50 },
    () => [],
  )
  expect(turns).toEqual([])
})

test('[TC44] a nominated leader continues the chain of the last turn, with its highest hops', () => {
  const begun = play(testExchange('lead', 'a', 'b'), message(['a']), message([], { chainId: 'c2', postId: 'p2' }))
  const policy = { maxTurns: 50 }
  const { turns } = playOut(begun, [], policy, (step, turn) => [
    { ...turn, posts: step.agentId === 'a' ? [post('b?', 'b')] : [post(`${step.agentId} ${step.turn}`)] },
  ])
  expect(turns.map(({ agentId, chainId, hops, because }) => [agentId, chainId, hops, because])).toEqual([
    ['a', 'c1', 0, 'obligation'],
    ['b', 'c1', 1, 'obligation'],
    ['lead', 'c2', 0, 'obligation'],
  ])
  const one = play(testExchange('lead', 'a', 'b'), message(['a']))
  const chained = playOut(one, [], policy, (step, turn) => [
    {
      ...turn,
      posts: [post(`${step.turn}`, ...(step.agentId === 'a' ? ['b'] : step.agentId === 'lead' ? ['b'] : []))],
    },
  ])
  expect(chained.turns.map(({ agentId, hops, because }) => [agentId, hops, because])).toEqual([
    ['a', 0, 'obligation'],
    ['b', 1, 'obligation'],
    ['lead', 1, 'leader'],
    ['b', 2, 'obligation'],
    ['lead', 2, 'leader'],
    ['b', 3, 'obligation'],
  ])
  expect(chained.end).toMatchObject({ reason: 'no_pending_obligation', bound: 6 })
})

test('[TC44] a nominated leader continues the chain of the last turn, and no turn lowers the chain’s hops', () => {
  const policy = { maxTurns: 50 }
  const two = play(testExchange('lead', 'a', 'b'), message(['b']), message(['a'], { chainId: 'c2', postId: 'p2' }))
  const { turns } = playOut(two, [], policy, (_, turn) => [turn])
  expect(turns.map(({ agentId, chainId }) => [agentId, chainId])).toEqual([
    ['a', 'c2'],
    ['b', 'c1'],
    ['lead', 'c1'],
  ])
  const back = playOut(play(testExchange('lead', 'a', 'b', 'c'), message(['a', 'c'])), [], policy, (step, turn) => [
    { ...turn, posts: [post(step.agentId, ...(step.agentId === 'a' ? ['b'] : []))] },
  ])
  expect(back.turns.map(({ agentId, hops }) => [agentId, hops])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 0],
    ['lead', 1],
  ])
})

test('[TC45] a turn that answers several chains continues the oldest', () => {
  const state = play(testExchange('lead', 'a'), message(['a']), message(['a'], { chainId: 'c2', postId: 'p2' }))
  const step = speaking(state)
  expect(step).toMatchObject({ agentId: 'a', chainId: 'c1', hops: 0, turn: 1 })
  expect(step.obligations.map(({ chainId }) => chainId)).toEqual(['c1', 'c2'])
  expect(play(state, turnOf(step)).obligations).toEqual([])
})

test('[TC24] no exchange is longer than its bound, whatever its settings', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: -3, max: 60 }), (count, maxTurns) => {
      const members = ids(count)
      const begun = play(testExchange(...members), message(members))
      const { turns, end } = playOut(begun, [], { maxTurns }, (step, turn) => [
        { ...turn, posts: [post(`${step.turn}`, ...members)] },
      ])
      expect(turns.length).toBeLessThanOrEqual(Math.min(Math.max(1, Math.min(50, maxTurns)), 2 * count))
      expect(end.turns).toBe(turns.length)
    }),
    { numRuns: 40 },
  )
})
