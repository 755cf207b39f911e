import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ExchangeEvent, HOP_LIMIT, MAX_TURNS, type TurnTaken } from './exchange-state.ts'
import { END_REASONS, type SpeakStep } from './next-step.ts'
import { message, type Played, playOut, post, testExchange } from './test-exchange.ts'

/** The agents that each agent always addresses. */
type Shape = ReadonlyMap<string, readonly string[]>

const ids = (count: number) => Array.from({ length: count }, (_, at) => `a${String(at).padStart(2, '0')}`)
const shapeOf = (count: number, to: (at: number, all: readonly string[]) => readonly number[]): Shape => {
  const all = ids(count)
  return new Map(all.map((id, at) => [id, to(at, all).map((n) => all[(n + count) % count]!)]))
}
const others = (at: number, all: readonly string[]) => all.flatMap((_, n) => (n === at ? [] : [n]))

const SHAPES: Readonly<Record<string, Shape>> = {
  pair: shapeOf(2, (at) => [1 - at]),
  triangle: shapeOf(3, (at) => [at + 1]),
  'ring of 17': shapeOf(17, (at) => [at + 1]),
  star: shapeOf(9, (at, all) => (at === 0 ? others(0, all) : [0])),
  clique: shapeOf(8, others),
  'clique of 30': shapeOf(30, others),
  'mention of oneself': shapeOf(4, (at) => [at, at]),
}

/** Each turn posts a new text to its neighbours. */
const reply = (shape: Shape) => (step: SpeakStep, turn: TurnTaken) => [
  { ...turn, posts: [post(`${step.agentId} ${step.turn}`, ...(shape.get(step.agentId) ?? []))] },
]

/** Each turn assigns a task to its neighbours, finishes its own, and posts nothing. */
const echo = (shape: Shape) => (step: SpeakStep, turn: TurnTaken) => {
  const { agentId, chainId, hops } = step
  const cause = { kind: 'agent', agentId, chainId, hops } as const
  const task = { type: 'board', taskId: `k${step.turn}`, cause } as const
  const made = (shape.get(agentId) ?? []).map(
    (assigneeId): ExchangeEvent => ({ ...task, signal: 'task_assigned', assigneeId, askedById: agentId }),
  )
  return [turn, { ...task, signal: 'task_finished', assigneeId: agentId, askedById: 'a00' } as const, ...made]
}

function expectBounded({ turns, end, raised, dropped, state }: Played, cap: number, participants: number): void {
  expect(turns.length).toBeLessThanOrEqual(Math.min(cap, 2 * participants))
  expect(END_REASONS).toContain(end.reason)
  const isFull = state.halted === null && turns.length >= end.bound && end.pending.length > 0
  expect(end.reason === 'max_turns').toBe(isFull)
  expect(Math.max(0, ...turns.map(({ hops }) => hops))).toBeLessThanOrEqual(HOP_LIMIT)
  const answered = turns.flatMap(({ obligations }) => obligations.map(({ id }) => id))
  const takenBack = dropped.flatMap(({ obligationId }) => obligationId ?? [])
  const became = [...answered, ...takenBack, ...end.pending.map(({ id }) => id)]
  expect(became.toSorted((a, b) => a - b)).toEqual(raised.map(({ id }) => id))
}

describe('agents that always answer', () => {
  for (const [name, shape] of Object.entries(SHAPES))
    for (const [way, act] of Object.entries({ posts: reply(shape), 'the board': echo(shape) }))
      test(`[TC30] a ${name} stops within its bound, over ${way}`, () => {
        const members = [...shape.keys()]
        for (const maxTurns of [1, 2, MAX_TURNS.default, 12, MAX_TURNS.most])
          for (const mentions of [[], members.slice(-1), members]) {
            const played = playOut(testExchange(...members), [message(mentions)], { maxTurns }, act)
            expectBounded(played, maxTurns, members.length)
            expect(played.turns.length).toBeGreaterThan(0)
          }
      })

  test('[TC30] agents that always repeat themselves stop even sooner', () => {
    const shape = SHAPES.clique!
    const members = [...shape.keys()]
    const { turns, end } = playOut(testExchange(...members), [message(members)], { maxTurns: 50 }, (step, turn) => [
      { ...turn, posts: [post('I agree.', ...(shape.get(step.agentId) ?? []))] },
    ])
    expect(turns.length).toBe(members.length + 1)
    expect(end).toMatchObject({ reason: 'no_pending_obligation', pending: [] })
  })

  test('[TC40] every wake is owed, answered or dropped, and the exchange stops within its bound', () => {
    const move = fc.record({
      to: fc.array(fc.nat(12), { maxLength: 5 }),
      kind: fc.constantFrom('post', 'post', 'post', 'same', 'pass', 'echo'),
      also: fc.constantFrom('none', 'none', 'none', 'stop', 'steer', 'skip', 'pause', 'abort'),
    })
    const exchanges = fc.record({
      count: fc.integer({ min: 1, max: 12 }),
      maxTurns: fc.integer({ min: 1, max: 50 }),
      mentions: fc.array(fc.nat(13), { maxLength: 4 }),
      moves: fc.array(move, { minLength: 50, maxLength: 50 }),
    })
    fc.assert(
      fc.property(exchanges, ({ count, maxTurns, mentions, moves }) => {
        const members = ids(count)
        const name = (n: number) => members[n] ?? 'stranger'
        const played = playOut(
          testExchange(...members),
          [message(mentions.map(name))],
          { maxTurns },
          (step, turn): readonly ExchangeEvent[] => {
            const { to, kind, also } = moves[step.turn - 1]!
            const shape: Shape = new Map([[step.agentId, to.map(name)]])
            const body = kind === 'same' ? 'again' : kind === 'pass' ? 'NO_REPLY' : `${step.turn}`
            const taken =
              kind === 'echo' ? echo(shape)(step, turn) : [{ ...turn, posts: [post(body, ...to.map(name))] }]
            const more = { chainId: `s${step.turn}`, postId: `q${step.turn}` }
            const extra: Readonly<Record<typeof also, readonly ExchangeEvent[]>> = {
              none: [],
              stop: [{ type: 'chain_stopped', chainId: step.chainId }],
              steer: [message(to.map(name), more)],
              skip: [message([], { ...more, skip: to.map(name) })],
              pause: [{ type: 'budget_paused' }],
              abort: [{ type: 'aborted' }],
            }
            return [...taken, ...extra[also]]
          },
        )
        expectBounded(played, maxTurns, count)
      }),
    )
  })
})
