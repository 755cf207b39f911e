import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyExchangeEvent } from './apply-exchange-event.ts'
import type { ExchangeEvent, ExchangeState } from './exchange-state.ts'
import { readExchangeState } from './read-exchange-state.ts'
import { message, play, post, speaking, testExchange, turnOf } from './test-exchange.ts'

const agent = fc.constantFrom('a', 'b', 'c', 'stranger', '__proto__')
const agents = fc.array(agent, { maxLength: 4 })
const chainId = fc.constantFrom('c1', 'c2', 'c3', 'constructor')
const hops = fc.constantFrom(0, 1, 2, 3, 4, -1, Number.NaN)
const id = fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8')
const body = fc.constantFrom('secret words', 'again', 'again ', 'NO_REPLY')
const said1 = fc.record({ id, body, to: agents })
const run = fc.record({ kind: fc.constant('agent' as const), agentId: agent, chainId, hops })
const cause = fc.oneof(run, fc.record({ kind: fc.constantFrom('person' as const, 'host' as const), chainId }))
const event: fc.Arbitrary<ExchangeEvent> = fc.oneof(
  fc.record({ type: fc.constant('message' as const), postId: id, chainId, mentions: agents, skip: agents }),
  fc.record({
    type: fc.constant('board' as const),
    signal: fc.constantFrom('task_assigned' as const, 'task_finished' as const, 'task_blocked' as const),
    taskId: id,
    assigneeId: fc.option(agent),
    askedById: fc.option(agent),
    cause,
  }),
  fc.record({ type: fc.constant('post' as const), post: said1, cause: run }),
  fc.record({
    type: fc.constant('turn' as const),
    turnId: id,
    agentId: agent,
    chainId,
    hops,
    answers: fc.array(fc.integer({ min: 1, max: 12 })),
    posts: fc.array(said1, { maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('chain_stopped' as const), chainId }),
  fc.record({
    type: fc.constant('members_changed' as const),
    participants: fc.array(fc.record({ agentId: agent, isLeader: fc.boolean() }), { maxLength: 4 }),
  }),
  fc.record({ type: fc.constantFrom('budget_paused' as const, 'aborted' as const) }),
)
const history = fc.array(event, { maxLength: 25 })

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}

test('[TC50] the same events give the same state, and the input is not changed', () => {
  fc.assert(
    fc.property(history, (events) => {
      const one = frozen(events).reduce(
        (state, next) => frozen(applyExchangeEvent(state, next).state),
        frozen(testExchange('a', 'b', 'c')),
      )
      expect(play(testExchange('a', 'b', 'c'), ...structuredClone(events))).toEqual(one)
    }),
  )
})

test('[TC52] a stored state is read back unchanged at any point, and contains no text', () => {
  fc.assert(
    fc.property(history, (events) => {
      let stored = testExchange('a', 'b', 'c')
      let live = stored
      for (const next of events) {
        live = applyExchangeEvent(live, next).state
        const text = JSON.stringify(applyExchangeEvent(stored, next).state)
        expect(text).not.toMatch(/secret words|again/)
        const reading = readExchangeState(text)
        expect(reading).toEqual({ ok: true, state: live })
        if (reading.ok) stored = reading.state
      }
    }),
  )
})

test('[TC53] an impossible state is refused with the field', () => {
  const begun = play(testExchange('a', 'b', 'c'), message(['a', 'b']))
  const state = play(begun, turnOf(speaking(begun), [post('hi', 'c')]))
  const problem = (more: unknown) => {
    const reading = readExchangeState(JSON.stringify({ ...state, ...(more as object) }))
    return reading.ok ? null : reading.problem
  }
  const [owed, other] = state.obligations
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ version: 2 }, 'state.version is not one of 1'],
    [{ more: 1 }, 'state has an unknown field'],
    [{ skipped: undefined }, 'state.skipped is missing'],
    [{ skipped: {} }, 'state.skipped is not a list'],
    [{ teamId: '' }, 'state.teamId is not an id'],
    [{ participants: [{ agentId: 'a', isLeader: 'yes' }] }, 'state.participants[0].isLeader is not a boolean'],
    [{ participants: [null] }, 'state.participants[0] is not an object'],
    [{ halted: 'tired' }, 'state.halted is not one of aborted, budget_paused, '],
    [{ nextObligationId: -1 }, 'state.nextObligationId is not a count'],
    [{ obligations: [{ ...owed, hops: 4 }] }, 'state.obligations[0].hops is above the limit'],
    [{ obligations: [{ ...owed, because: 'prose' }] }, 'state.obligations[0].because is not one of '],
    [{ obligations: [other, owed] }, 'state.obligations are not in order'],
    [{ nextObligationId: owed!.id }, 'state.obligations are not in order'],
    [{ obligations: [owed, { ...owed, id: owed!.id + 1 }] }, 'state.obligations contains a duplicate'],
    [{ participants: [] }, 'state.obligations names an agent that cannot speak'],
    [{ skipped: ['b', 'c'] }, 'state.obligations names an agent that cannot speak'],
    [{ chains: [{ ...state.chains[0], ended: 'stopped' }] }, 'state.obligations names a chain that is not open'],
    [{ chains: [], obligations: [] }, 'state.turns names an unknown chain'],
    [{ turns: [...state.turns, ...state.turns] }, 'state.turns contains a duplicate'],
  ]
  expect(problem({})).toBeNull()
  for (const [more, expected] of wrong) expect(problem(more)).toContain(expected)
  for (const text of ['', '{', 'null', '[]', '7', '"x"']) expect(readExchangeState(text).ok).toBe(false)
  fc.assert(fc.property(fc.json(), (text) => !readExchangeState(text).ok))
})

test('[TC53] every field is required', () => {
  const state: ExchangeState = play(testExchange('a', 'b'), message(['a']))
  const places = (value: unknown): readonly (readonly string[])[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, inner]) => [
          ...(Array.isArray(value) ? [] : [[name]]),
          ...places(inner).map((rest) => [name, ...rest]),
        ])
  for (const place of places(state)) {
    const copy = structuredClone(state) as unknown as Record<string, unknown>
    const holder = place.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
    delete holder[place.at(-1)!]
    expect(readExchangeState(JSON.stringify(copy)), place.join('.')).toMatchObject({ ok: false })
  }
})
