import { describe, expect, test } from 'vitest'
import { applyExchangeEvent } from './apply-exchange-event.ts'
import { type BoardSignal, type ExchangeEvent, type ExchangeState, openExchange } from './exchange-state.ts'
import { nextStep } from './next-step.ts'
import { isPass } from './post.ts'
import { message, play, post, speaking, testExchange, turnOf } from './test-exchange.ts'

const team = () => testExchange('lead', 'a', 'b')
const after = (state: ExchangeState, event: ExchangeEvent) => {
  const { raised, dropped } = applyExchangeEvent(state, event)
  return {
    owed: raised.map(({ agentId, because }) => `${agentId} ${because}`),
    dropped: dropped.map(({ agentId, reason }) => `${agentId} ${reason}`),
  }
}
const board = (more: Partial<BoardSignal> = {}): BoardSignal => ({
  type: 'board',
  signal: 'task_assigned',
  taskId: 'k1',
  assigneeId: 'a',
  askedById: null,
  cause: { kind: 'person', chainId: 'c1' },
  ...more,
})
const by = (agentId: string, hops = 0, chainId = 'c1') => ({ kind: 'agent', agentId, chainId, hops }) as const

describe('obligations', () => {
  test('[TC32] only a signal creates an obligation, whatever a text contains', () => {
    expect(after(team(), message(['a', 'b']))).toEqual({ owed: ['a mention', 'b mention'], dropped: [] })
    const text = '@b please answer! to: b. [Inter-session message] NO_REPLY? assigned to @b'
    const begun = play(team(), message(['a']))
    expect(after(begun, turnOf(speaking(begun), [post(text)]))).toEqual({ owed: [], dropped: [] })
    expect(after(begun, turnOf(speaking(begun), [post('silence', 'b')]))).toEqual({ owed: ['b post'], dropped: [] })
    expect(after(team(), { type: 'post', post: post('x', 'b'), cause: by('a') }).owed).toEqual(['b post'])
  })

  test('[TC33] an assigned task makes its assignee owe a turn', () => {
    expect(after(team(), board())).toEqual({ owed: ['a task_assigned'], dropped: [] })
    expect(applyExchangeEvent(team(), board()).raised).toMatchObject([{ taskId: 'k1', postId: null, hops: 0 }])
    expect(after(team(), board({ assigneeId: null }))).toEqual({ owed: [], dropped: [] })
  })

  test('[TC34] a finished or blocked task wakes the agent that asked for it, or the leader', () => {
    for (const signal of ['task_finished', 'task_blocked'] as const) {
      expect(after(team(), board({ signal, askedById: 'b', cause: by('a') })).owed).toEqual([`b ${signal}`])
      for (const askedById of [null, 'stranger', 'a'])
        expect(after(team(), board({ signal, askedById, cause: by('a') })).owed).toEqual([`lead ${signal}`])
    }
    const nobody = openExchange({ exchangeId: 'x', teamId: 't', participants: [{ agentId: 'a', isLeader: false }] })
    expect(after(nobody, board({ signal: 'task_finished' })).dropped).toEqual(['null nobody_leads'])
  })

  test('[TC35] the leader answers a message without mentions, and a later one is not lost', () => {
    expect(after(team(), message())).toEqual({ owed: [], dropped: [] })
    const begun = play(team(), message())
    expect(nextStep(begun)).toMatchObject({ agentId: 'lead', because: 'leader', chainId: 'c1', hops: 0 })
    const answered = play(begun, turnOf(speaking(begun)))
    expect(nextStep(answered)).toMatchObject({ step: 'end' })
    const more = message([], { chainId: 'c2', postId: 'p2' })
    expect(after(answered, more)).toEqual({ owed: ['lead message'], dropped: [] })
    expect(nextStep(play(answered, more))).toMatchObject({ agentId: 'lead', because: 'obligation', chainId: 'c2' })
  })

  test('[TC36] a turn fulfils its own obligations, and not the ones that arrived during it', () => {
    const begun = play(team(), message(['a']))
    const turn = turnOf(speaking(begun), [post('done')])
    const meanwhile = play(begun, message(['a'], { chainId: 'c2', postId: 'p2' }), turn)
    expect(meanwhile.obligations).toMatchObject([{ agentId: 'a', chainId: 'c2' }])
    const foreign = play(begun, { ...turn, agentId: 'b' })
    expect(foreign.obligations).toMatchObject([{ agentId: 'a' }])
  })
})

describe('dropped wakes', () => {
  test('[TC37] no agent wakes itself', () => {
    const begun = play(team(), message(['a']))
    const own = turnOf(speaking(begun), [post('me?', 'a', 'b')])
    expect(after(begun, own)).toEqual({ owed: ['b post'], dropped: ['a own_post'] })
    expect(after(team(), board({ cause: by('a') })).dropped).toEqual(['a own_task'])
    const led = board({ signal: 'task_finished', assigneeId: 'lead', cause: by('lead') })
    expect(after(team(), led).dropped).toEqual(['lead own_task'])
    expect(after(team(), { ...led, cause: { kind: 'host', chainId: 'c1' } }).dropped).toEqual(['lead own_task'])
  })

  test('[TC38] strangers and skipped agents are not woken, until a person mentions them', () => {
    expect(after(team(), message(['stranger', 'a'])).dropped).toEqual(['stranger not_a_member'])
    const begun = play(team(), message(['a', 'b'], { skip: ['b'] }))
    expect(begun.obligations.map(({ agentId }) => agentId)).toEqual(['a'])
    expect(after(team(), message(['a', 'b'], { skip: ['b'] })).dropped).toEqual(['b skipped'])
    expect(after(begun, turnOf(speaking(begun), [post('b?', 'b')])).dropped).toEqual(['b skipped'])
    const picked = message(['b'], { chainId: 'c2', postId: 'p2' })
    expect(after(begun, picked)).toEqual({ owed: ['b mention'], dropped: [] })
    expect(after(begun, message([], { chainId: 'c2', postId: 'p2', skip: ['a', 'lead'] })).dropped).toEqual([
      'a skipped',
      'lead skipped',
    ])
    const unled = play(team(), message([], { skip: ['lead'] }))
    expect(nextStep(unled)).toMatchObject({ step: 'end', reason: 'no_pending_obligation' })
  })

  test('[TC39] an agent owes one turn per chain', () => {
    expect(after(team(), message(['a', 'a']))).toEqual({ owed: ['a mention'], dropped: ['a already_owed'] })
    const both = play(team(), message(['a']), message(['a'], { chainId: 'c2', postId: 'p2' }))
    expect(both.obligations.map(({ chainId }) => chainId)).toEqual(['c1', 'c2'])
    const stopped = play(both, { type: 'chain_stopped', chainId: 'c1' })
    expect(stopped.obligations).toMatchObject([{ agentId: 'a', chainId: 'c2', postId: 'p2' }])
  })

  test('[TC40] a dropped wake has the first reason that applies', () => {
    const ended = play(
      team(),
      message(['lead'], { skip: ['b'] }),
      { type: 'aborted' },
      { type: 'chain_stopped', chainId: 'c1' },
    )
    const dropped = (to: string, hops = 9, state = ended) =>
      after(state, { type: 'post', post: post('x', to), cause: by('a', hops) }).dropped
    expect(dropped('a')).toEqual(['a own_post'])
    expect(dropped('stranger')).toEqual(['stranger not_a_member'])
    expect(dropped('b')).toEqual(['b skipped'])
    expect(dropped('lead')).toEqual(['lead aborted'])
    expect(dropped('lead', 9, { ...ended, halted: null })).toEqual(['lead chain_stopped'])
    const open = play(team(), message(['lead']))
    expect(dropped('lead', 9, open)).toEqual(['lead hop_limit'])
    expect(dropped('lead', 0, open)).toEqual(['lead already_owed'])
    expect(applyExchangeEvent(ended, message(['lead'])).dropped).toEqual([
      {
        obligationId: null,
        agentId: 'lead',
        because: 'mention',
        chainId: 'c1',
        postId: 'p0',
        taskId: null,
        reason: 'aborted',
      },
    ])
  })

  test('[TC41] an agent that leaves the team owes nothing', () => {
    const begun = play(team(), message(['a', 'b']))
    const gone = { type: 'members_changed', participants: [{ agentId: 'b', isLeader: true }] } as const
    expect(after(begun, gone).dropped).toEqual(['a not_a_member'])
    expect(nextStep(play(begun, gone))).toMatchObject({ agentId: 'b', bound: 2 })
  })
})

describe('chains', () => {
  const wakes = (hops: number, state = team()) =>
    after(state, { type: 'post', post: post(`at ${hops}`, 'b'), cause: by('a', hops) })

  test('[TC42] every agent that wakes another adds a hop, through posts and the board alike', () => {
    const begun = play(team(), message(['lead']))
    const step = speaking(begun)
    expect(step.hops).toBe(0)
    const made = play(begun, turnOf(step, [post('on it')]), board({ cause: by('lead', 0) }))
    expect(speaking(made)).toMatchObject({ agentId: 'a', hops: 1, chainId: 'c1' })
    const finished = board({ signal: 'task_finished', askedById: 'lead', cause: by('a', 1) })
    const reported = play(made, turnOf(speaking(made)), finished)
    expect(speaking(reported)).toMatchObject({ agentId: 'lead', hops: 2, chainId: 'c1' })
    const again = play(reported, turnOf(speaking(reported), [post('b, look', 'b')]))
    expect(speaking(again)).toMatchObject({ agentId: 'b', hops: 3 })
    expect(after(again, turnOf(speaking(again), [post('a?', 'a')])).dropped).toEqual(['a hop_limit'])
  })

  test('[TC43] the limit is 3 hops, and no invalid number bypasses it', () => {
    for (const hops of [0, 1, 2]) expect(wakes(hops).owed).toEqual(['b post'])
    for (const hops of [3, 4, -1, 0.5, Number.NaN, Number.NEGATIVE_INFINITY, '0' as unknown as number])
      expect(wakes(hops), String(hops)).toEqual({ owed: [], dropped: ['b hop_limit'] })
  })

  test('[TC46] an agent that repeats itself ends the chain', () => {
    const begun = play(team(), message(['a', 'b']))
    const once = play(begun, turnOf(speaking(begun), [post('I agree.', 'lead')]))
    expect(once.obligations.map(({ agentId }) => agentId)).toEqual(['b', 'lead'])
    const repeat: ExchangeEvent = { type: 'post', post: post('  I agree.\n', 'lead', 'b'), cause: by('a') }
    expect(after(once, repeat)).toEqual({ owed: [], dropped: ['b repeat', 'lead repeat', 'lead repeat', 'b repeat'] })
    const ended = play(once, repeat)
    expect(ended.chains).toMatchObject([{ id: 'c1', ended: 'repeat' }])
    expect(nextStep(ended)).toMatchObject({ step: 'end', reason: 'no_pending_obligation' })
    expect(after(play(ended, { type: 'chain_stopped', chainId: 'c1' }), repeat).dropped).toEqual([
      'lead repeat',
      'b repeat',
    ])
    for (const other of ['I agree', 'i agree.', 'I  agree.'])
      expect(after(once, { ...repeat, post: post(other, 'lead') }).dropped).toEqual(['lead already_owed'])
    expect(after(once, { type: 'post', post: post('I agree.', 'a'), cause: by('b') }).owed).toEqual(['a post'])
  })

  test('[TC46] a post from before the exchange counts as a repetition', () => {
    const lastPosts = [{ agentId: 'a', body: 'Same as ever' }]
    const { participants } = team()
    const begun = play(openExchange({ exchangeId: 'x', teamId: 't', participants, lastPosts }), message(['a']))
    const { dropped } = after(begun, turnOf(speaking(begun), [post('Same as ever', 'b')]))
    expect(dropped).toEqual(['b repeat'])
  })

  test('[TC47] a stopped chain wakes no agent, not even through its active turn, and other chains continue', () => {
    const begun = play(team(), message(['a', 'b']), message(['lead'], { chainId: 'c2', postId: 'p2' }))
    const turn = turnOf(speaking(begun), [post('b and lead?', 'b', 'lead')])
    const stop = { type: 'chain_stopped', chainId: 'c1' } as const
    expect(after(begun, stop).dropped).toEqual(['a chain_stopped', 'b chain_stopped'])
    expect(after(play(begun, stop), turn)).toEqual({ owed: [], dropped: ['b chain_stopped', 'lead chain_stopped'] })
    expect(nextStep(play(begun, stop, turn))).toMatchObject({ agentId: 'lead', because: 'obligation', chainId: 'c2' })
    expect(after(play(team(), stop), message(['a'])).dropped).toEqual(['a chain_stopped'])
  })

  test('[TC48] only the token alone is a pass', () => {
    for (const text of ['NO_REPLY', ' NO_REPLY', 'NO_REPLY\n', 'NOTHING_TO_SAY ']) expect(isPass(text)).toBe(true)
    for (const text of ['', 'NO_REPLY.', 'NOTHING_TO_SAY!', 'no reply', 'I say NO_REPLY', 'NO_REPLY NO_REPLY'])
      expect(isPass(text)).toBe(false)
    const begun = play(team(), message(['a']))
    const passed = turnOf(speaking(begun), [post('NO_REPLY', 'b')])
    expect(after(begun, passed)).toEqual({ owed: [], dropped: [] })
    expect(play(begun, passed)).toMatchObject({ lastPosts: [], turns: [{ passed: true }] })
    expect(after(begun, { type: 'post', post: post('NO_REPLY', 'b'), cause: by('a') })).toEqual({
      owed: [],
      dropped: [],
    })
    const mixed = turnOf(speaking(begun), [post('hello', 'b'), post('NO_REPLY', 'lead')])
    expect(after(begun, mixed)).toEqual({ owed: ['b post'], dropped: [] })
    expect(play(begun, mixed).turns).toMatchObject([{ passed: false }])
  })

  test('[TC49] after an abort no agent owes a turn', () => {
    const aborted = play(team(), message(['a']), { type: 'aborted' })
    expect(after(aborted, message(['b'], { chainId: 'c2', postId: 'p2' })).dropped).toEqual(['b aborted'])
    expect(after(aborted, board({ assigneeId: 'b' })).dropped).toEqual(['b aborted'])
    const turn = turnOf(speaking(play(team(), message(['a']))), [post('b?', 'b')])
    expect(after(aborted, turn).dropped).toEqual(['b aborted'])
    expect(nextStep(play(aborted, turn))).toMatchObject({ step: 'end', reason: 'aborted', turns: 1 })
  })
})

test('[TC51] a repeated event counts once', () => {
  const begun = play(team(), message(['a']))
  const turn = turnOf(speaking(begun), [post('b?', 'b')])
  const once = play(begun, turn)
  expect(applyExchangeEvent(once, turn)).toEqual({ state: once, raised: [], dropped: [] })
  expect(applyExchangeEvent(once, message(['a']))).toEqual({ state: once, raised: [], dropped: [] })
})
