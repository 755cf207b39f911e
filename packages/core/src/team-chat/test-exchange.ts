import { applyExchangeEvent } from './apply-exchange-event.ts'
import {
  type DroppedWake,
  type ExchangeEvent,
  type ExchangePolicy,
  type ExchangeState,
  type Obligation,
  openExchange,
  type PersonMessage,
  type TurnPost,
  type TurnTaken,
} from './exchange-state.ts'
import { type EndStep, nextStep, type SpeakStep } from './next-step.ts'

/** An exchange of these agents; the first one leads. */
export function testExchange(...agentIds: readonly string[]): ExchangeState {
  const participants = agentIds.map((agentId, at) => ({ agentId, isLeader: at === 0 }))
  return openExchange({ exchangeId: 'x1', teamId: 'team', participants })
}

export function message(mentions: readonly string[] = [], more: Partial<PersonMessage> = {}): PersonMessage {
  return { type: 'message', postId: 'p0', chainId: 'c1', mentions, skip: [], ...more }
}

/** The turn of a step, with its posts. */
export function turnOf(step: SpeakStep, posts: readonly TurnPost[] = []): TurnTaken {
  const { agentId, chainId, hops, obligations, turn } = step
  return { type: 'turn', turnId: `t${turn}`, agentId, chainId, hops, answers: obligations.map(({ id }) => id), posts }
}

export function post(body: string, ...to: readonly string[]): TurnPost {
  return { id: `post of ${body}`, body, to }
}

export function play(state: ExchangeState, ...events: readonly ExchangeEvent[]): ExchangeState {
  return events.reduce((now, event) => applyExchangeEvent(now, event).state, state)
}

/** The next step of an exchange that has not ended. */
export function speaking(state: ExchangeState, policy?: ExchangePolicy): SpeakStep {
  const step = nextStep(state, policy)
  if (step.step !== 'speak') throw new TypeError(`the exchange ended: ${step.reason}`)
  return step
}

export interface Played {
  readonly state: ExchangeState
  readonly turns: readonly SpeakStep[]
  readonly end: EndStep
  readonly raised: readonly Obligation[]
  readonly dropped: readonly DroppedWake[]
}

/** Plays an exchange to its end. `act` returns the events during and right after each turn. */
export function playOut(
  initial: ExchangeState,
  events: readonly ExchangeEvent[],
  policy: ExchangePolicy,
  act: (step: SpeakStep, turn: TurnTaken) => readonly ExchangeEvent[],
): Played {
  const raised: Obligation[] = []
  const dropped: DroppedWake[] = []
  let state = initial
  const apply = (event: ExchangeEvent) => {
    const change = applyExchangeEvent(state, event)
    raised.push(...change.raised)
    dropped.push(...change.dropped)
    state = change.state
  }
  events.forEach(apply)
  const turns: SpeakStep[] = []
  for (;;) {
    const step = nextStep(state, policy)
    if (step.step === 'end') return { state, turns, end: step, raised, dropped }
    turns.push(step)
    if (turns.length > 200) throw new TypeError('the exchange does not end')
    act(step, turnOf(step)).forEach(apply)
  }
}
