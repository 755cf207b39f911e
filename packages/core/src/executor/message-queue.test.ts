import { describe, expect, test } from 'vitest'
import {
  acceptMessage,
  createMessageQueue,
  heldMessages,
  type InboundMessage,
  type MessageQueue,
  nextTurn,
  type RunState,
} from './message-queue.ts'
import { recoverQueue, turnDelivered, turnFailed, turnReturned, withdrawMessages } from './queue-outcomes.ts'
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from './queue-settings.ts'
import { returnSteers, steersDelivered, steersRefused, takeSteers } from './queue-steers.ts'

const idle: RunState = { type: 'idle' }
const open: RunState = { type: 'running', steering: 'open' }
const compacting: RunState = { type: 'running', steering: 'compacting' }

const says = (id: string, overrides: Partial<InboundMessage> = {}): InboundMessage => ({
  id,
  text: `text of ${id}`,
  sender: null,
  authority: 'ada',
  target: 'page',
  ...overrides,
})

const withSettings = (settings: Partial<QueueSettings>) =>
  createMessageQueue({ ...DEFAULT_QUEUE_SETTINGS, ...settings })

/** Accepts each in turn while a run goes on, at the time 0. */
function fill(queue: MessageQueue, messages: readonly (string | InboundMessage)[], run: RunState = compacting) {
  const dropped: string[] = []
  const verdicts: string[] = []
  let next = queue
  for (const message of messages) {
    const result = acceptMessage(next, typeof message === 'string' ? says(message) : message, run, 0)
    next = result.queue
    verdicts.push(result.verdict)
    dropped.push(...result.dropped.map(({ id }) => id))
  }
  return { queue: next, dropped, verdicts }
}

/** Runs everything to its end, each turn delivered at once. */
function drain(queue: MessageQueue, now = 1_000_000) {
  const texts: string[] = []
  let next = nextTurn(queue, now)
  while (next.type === 'turn') {
    texts.push(next.turn.text)
    next = nextTurn(turnDelivered(next.queue, next.turn), now)
  }
  return texts
}

describe('accepting', () => {
  test('[EX60] a message to an agent that is free starts a turn at once, in every mode', () => {
    for (const mode of ['steer', 'followup', 'collect', 'interrupt'] as const) {
      const result = acceptMessage(withSettings({ mode }), says('m1'), idle, 5)
      expect(result).toMatchObject({ verdict: 'start', dropped: [], turn: { id: 'm1', failures: 0 } })
      expect(nextTurn(result.queue, 1_000_000).type).toBe('nothing')
    }
    expect(acceptMessage(withSettings({}), says('m1'), idle, 5)).toMatchObject({ turn: { text: 'text of m1' } })
  })

  test('[EX61] by default a message steers the open run; without an open run it waits', () => {
    expect(fill(createMessageQueue(), ['a', 'b'], open).verdicts).toEqual(['steer', 'steer'])
    for (const steering of ['not_streaming', 'compacting', 'runtime_rejected'] as const)
      expect(fill(createMessageQueue(), ['a'], { type: 'running', steering }).verdicts).toEqual(['queued'])
    const started = acceptMessage(createMessageQueue(), says('a'), idle, 0)
    expect(acceptMessage(started.queue, says('b'), idle, 0).verdict).toBe('queued')
  })

  test('[EX62] a steer that the run would not take waits, and one it did not deliver goes to the front', () => {
    const waiting = fill(withSettings({}), [says('f', { mode: 'followup' })]).queue
    const steered = fill(waiting, ['a', 'b'], open).queue
    expect(drain(steersRefused(steered, ['a', 'b'], 0))).toEqual(['text of f', 'text of a', 'text of b'])
    const one = steersDelivered(steered, ['a'])
    expect(drain(returnSteers(one))).toEqual(['text of b', 'text of f'])
    expect(drain(one)).toEqual(['text of b', 'text of f'])
  })

  test('[EX63] a steer that waits is never overtaken by a later message, before or after the run ends', () => {
    const parked = fill(createMessageQueue(), ['a'], compacting).queue
    expect(acceptMessage(parked, says('b'), idle, 0).verdict).toBe('queued')
    expect(acceptMessage(parked, says('b'), open, 0)).toMatchObject({
      verdict: 'steer',
      messages: [{ id: 'a' }, { id: 'b' }],
    })
    expect(acceptMessage(parked, says('b', { authority: 'bob' }), open, 0).verdict).toBe('queued')
    const returned = returnSteers(fill(createMessageQueue(), ['a'], open).queue)
    const later = acceptMessage(returned, says('b'), idle, 0)
    expect(later.verdict).toBe('queued')
    expect(drain(later.queue)).toEqual(['text of a', 'text of b'])
  })

  test('[EX63] an open run is offered the steers that wait for it, up to the first of another sender', () => {
    const parked = fill(createMessageQueue(), [
      'a',
      says('f', { mode: 'followup' }),
      says('b'),
      says('c', { authority: 'bob' }),
    ])
    const taken = takeSteers(parked.queue, { authority: 'ada', target: 'page' })
    expect(taken.messages.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(takeSteers(parked.queue, { authority: 'bob', target: 'page' }).messages).toEqual([])
    expect(heldMessages(taken.queue).map(({ id }) => id)).toEqual(['a', 'b', 'f', 'c'])
  })

  test('[EX64] a follow-up that waits does not keep later messages from steering', () => {
    const { verdicts } = fill(createMessageQueue(), [says('f', { mode: 'followup' }), says('b'), says('c')], open)
    expect(verdicts).toEqual(['queued', 'steer', 'steer'])
  })

  test('[EX65] an interrupt asks for the run to be aborted and goes before all that waits, with what the run handed back', () => {
    const steered = fill(withSettings({}), [says('f', { mode: 'followup' }), says('s')], open).queue
    const first = acceptMessage(steered, says('i', { mode: 'interrupt' }), open, 0)
    expect(first.verdict).toBe('interrupt')
    const second = acceptMessage(first.queue, says('j', { mode: 'interrupt' }), open, 0)
    expect(acceptMessage(second.queue, says('late'), open, 0).verdict).toBe('queued')
    expect(drain(second.queue)).toEqual(['text of s\n\ntext of i\n\ntext of j', 'text of f'])
  })

  test('[EX65] a reset interrupts whatever the mode is, and a turn that was not delivered yet comes back before it', () => {
    const started = acceptMessage(withSettings({ mode: 'followup' }), says('m'), idle, 0)
    const reset = acceptMessage(started.queue, says('r', { kind: 'reset' }), open, 0)
    expect(reset.verdict).toBe('interrupt')
    expect(drain(turnReturned(reset.queue, reset.queue.running!))).toEqual(['text of m\n\ntext of r'])
  })

  test('[EX66] a heartbeat is refused while anything is under way', () => {
    const beat = says('h', { kind: 'heartbeat' })
    expect(acceptMessage(createMessageQueue(), beat, open, 0)).toMatchObject({ verdict: 'refused', reason: 'busy' })
    expect(acceptMessage(fill(createMessageQueue(), ['a']).queue, beat, idle, 0)).toMatchObject({ reason: 'busy' })
    expect(acceptMessage(createMessageQueue(), beat, idle, 0).verdict).toBe('start')
  })

  test('[EX67] a message is known by its id for five minutes, and as long as it is held', () => {
    const first = acceptMessage(createMessageQueue(), says('m'), idle, 0)
    const done = turnDelivered(first.queue, first.queue.running!)
    expect(acceptMessage(done, says('m'), idle, 299_999)).toMatchObject({ verdict: 'refused', reason: 'duplicate' })
    expect(acceptMessage(done, says('m'), idle, 300_000).verdict).toBe('start')
    expect(acceptMessage(first.queue, says('m'), open, 900_000)).toMatchObject({ reason: 'duplicate' })
  })

  test('[EX67] the newest 10000 ids are remembered', () => {
    const recent = Array.from({ length: 10_000 }, (_, at) => ({ id: `m${at}`, at: 0 }))
    const full = { ...createMessageQueue(), recent }
    expect(acceptMessage(full, says('m0'), idle, 0)).toMatchObject({ reason: 'duplicate' })
    const next = acceptMessage(full, says('new'), open, 0).queue
    expect(next.recent).toHaveLength(10_000)
    expect(acceptMessage(next, says('m0'), open, 0).verdict).toBe('steer')
    expect(acceptMessage(next, says('m1'), open, 0)).toMatchObject({ reason: 'duplicate' })
  })
})

describe('turns', () => {
  test('[EX68] follow-ups run one turn each, in order, once it has been quiet for the debounce time', () => {
    const { queue } = fill(withSettings({ mode: 'followup' }), ['a', 'b'])
    expect(nextTurn(queue, 499)).toMatchObject({ type: 'wait', until: 500 })
    expect(nextTurn(queue, 500)).toMatchObject({ type: 'turn', turn: { id: 'a', text: 'text of a' } })
    expect(drain(queue)).toEqual(['text of a', 'text of b'])
    expect(nextTurn(createMessageQueue(), 0).type).toBe('nothing')
  })

  test('[EX68] a full queue and a clock that was set back wait for no quiet', () => {
    const full = fill(withSettings({ mode: 'followup', cap: 2 }), ['a', 'b']).queue
    expect(nextTurn(full, 1).type).toBe('turn')
    const later = acceptMessage(withSettings({ mode: 'followup' }), says('a'), open, 90_000_000).queue
    expect(nextTurn(later, 1_000).type).toBe('turn')
  })

  test('[EX69] collected messages run as one turn that names each and its sender', () => {
    const { queue } = fill(withSettings({ mode: 'collect' }), [says('a', { sender: 'Ada' }), says('b')])
    expect(drain(queue)).toEqual([
      '[Queued messages while agent was busy]\n\n---\nQueued #1 (from Ada)\ntext of a\n\n---\nQueued #2\ntext of b',
    ])
  })

  test('[EX69] messages of another authority or target are collected apart, in order', () => {
    const { queue } = fill(withSettings({ mode: 'collect' }), [
      'a',
      'b',
      says('c', { authority: 'bob' }),
      says('d', { authority: 'bob', target: 'phone' }),
      'e',
    ])
    let next = nextTurn(queue, 500)
    const groups: string[][] = []
    while (next.type === 'turn') {
      groups.push(next.turn.messages.map(({ id }) => id))
      next = nextTurn(turnDelivered(next.queue, next.turn), 500)
    }
    expect(groups).toEqual([['a', 'b'], ['c'], ['d'], ['e']])
  })
})

describe('overflow', () => {
  test('[EX70] with a cap of 2 and summaries, m1 to m4 run as the summary of two, m3 and m4', () => {
    const { queue, dropped } = fill(withSettings({ mode: 'followup', cap: 2 }), ['m1', 'm2', 'm3', 'm4'])
    expect(dropped).toEqual(['m1', 'm2'])
    expect(drain(queue)).toEqual([
      '[Queue overflow] Dropped 2 messages due to cap.\nSummary:\n- text of m1\n- text of m2',
      'text of m3',
      'text of m4',
    ])
  })

  test('[EX70] a summary keeps one line of at most 160 characters for each of the newest, as many as the cap', () => {
    const long = (id: string) => says(id, { text: `${id} ${'word \n'.repeat(100)}` })
    const { queue } = fill(withSettings({ mode: 'followup', cap: 2 }), ['1', '2', '3', '4', '5'].map(long))
    const lines = drain(queue)[0]!.split('\n')
    expect(lines.slice(0, 2)).toEqual(['[Queue overflow] Dropped 3 messages due to cap.', 'Summary:'])
    expect(lines.slice(2).map((line) => line.slice(0, 9))).toEqual(['- 2 word ', '- 3 word '])
    expect(Math.max(...lines.slice(2).map((line) => line.length))).toBe(162)
  })

  test('[EX70] a summary runs with the authority of those it tells of, and within what is collected', () => {
    const bob = { authority: 'bob' }
    const apart = fill(withSettings({ mode: 'followup', cap: 1 }), [says('a', bob), says('b'), says('c')]).queue
    const first = nextTurn(apart, 500)
    expect(first).toMatchObject({ turn: { authority: 'bob', messages: [], overflow: { count: 1 } } })
    const collected = fill(withSettings({ mode: 'collect', cap: 2 }), ['a', 'b', 'c']).queue
    expect(drain(collected)).toEqual([
      '[Queued messages while agent was busy]\n\n' +
        '[Queue overflow] Dropped 1 message due to cap.\nSummary:\n- text of a\n\n' +
        '---\nQueued #1\ntext of b\n\n---\nQueued #2\ntext of c',
    ])
  })

  test('[EX71] the policy old lets the oldest go, the policy new refuses the newest', () => {
    const old = fill(withSettings({ mode: 'followup', cap: 2, drop: 'old' }), ['a', 'b', 'c'])
    expect(old.dropped).toEqual(['a'])
    expect(drain(old.queue)).toEqual(['text of b', 'text of c'])
    const full = fill(withSettings({ mode: 'followup', cap: 2, drop: 'new' }), ['a', 'b', 'c'])
    expect(full.verdicts).toEqual(['queued', 'queued', 'refused'])
    expect(drain(full.queue)).toEqual(['text of a', 'text of b'])
  })

  test('[EX72] overflow never touches what is being delivered, handed back or an interrupt', () => {
    const running = nextTurn(fill(withSettings({ mode: 'followup', cap: 1 }), ['a']).queue, 500).queue
    const more = fill(running, ['b', 'c', says('i', { mode: 'interrupt' }), 'd'], open)
    expect(more.dropped).toEqual(['b', 'c'])
    const back = turnReturned(more.queue, more.queue.running!)
    const after = fill(back, ['e'], open)
    expect(after.dropped).toEqual(['d'])
    expect(drain(after.queue)[0]).toBe('text of a\n\ntext of i')
    expect(fill(back, [says('k', { mode: 'interrupt' })], open).verdicts).toEqual(['refused'])
  })
})

describe('outcomes', () => {
  test('[EX73] a turn that fails is tried three times more, later each time, then reported, and the next one runs', () => {
    let next = nextTurn(fill(withSettings({ mode: 'followup' }), ['a', 'b']).queue, 500)
    let now = 500
    const waits: number[] = []
    for (;;) {
      if (next.type !== 'turn') throw new Error('no turn')
      expect(next.turn.id).toBe('a')
      const failed = turnFailed(next.queue, next.turn, now)
      if (failed.reported) {
        expect(failed.reported).toMatchObject({ id: 'a', failures: 4 })
        expect(drain(failed.queue, now)).toEqual(['text of b'])
        break
      }
      waits.push(failed.retryAt! - now)
      expect(nextTurn(failed.queue, failed.retryAt! - 1)).toMatchObject({ type: 'wait', until: failed.retryAt })
      now = failed.retryAt!
      next = nextTurn(failed.queue, now)
    }
    expect(waits).toEqual([1_000, 5_000, 30_000])
  })

  test('[EX73] an interrupt does not wait for the retry of another turn', () => {
    const given = nextTurn(fill(withSettings({ mode: 'followup' }), ['a']).queue, 500)
    const failed = turnFailed(given.queue, given.queue.running!, 500).queue
    const interrupted = acceptMessage(failed, says('i', { mode: 'interrupt' }), idle, 501)
    expect(nextTurn(interrupted.queue, 501)).toMatchObject({ type: 'turn', turn: { id: 'i' } })
    expect(drain(interrupted.queue)).toEqual(['text of i', 'text of a'])
  })

  test('[EX74] after a crash what is on record is not run again, and the rest goes back and is bounded', () => {
    const steered = fill(nextTurn(fill(createMessageQueue(), ['a']).queue, 500).queue, ['s', 't'], open).queue
    expect(drain(recoverQueue(steered, new Set(['a', 's']), 0).queue)).toEqual(['text of t'])
    expect(drain(recoverQueue(steered, new Set(), 0).queue)).toEqual(['text of a', 'text of s\n\ntext of t'])
    let queue = nextTurn(fill(createMessageQueue(), ['a']).queue, 500).queue
    const reports = [1, 2, 3, 4].map((crash) => {
      const recovered = recoverQueue(queue, new Set(), crash * 100_000)
      queue = nextTurn(recovered.queue, crash * 100_000 + 60_000).queue
      return recovered.reported?.id ?? null
    })
    expect(reports).toEqual([null, null, null, 'a'])
  })

  test('[EX75] a message can be taken back until it is being delivered', () => {
    const queue = fill(withSettings({ mode: 'collect' }), ['a', 'b', 'c']).queue
    const given = nextTurn(withdrawMessages(queue, ['b']).queue, 500)
    expect(given.queue.running?.messages.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(withdrawMessages(given.queue, ['a']).withdrawn).toEqual([])
    const failed = turnFailed(given.queue, given.queue.running!, 500).queue
    const taken = withdrawMessages(failed, ['a', 'x'])
    expect(taken.withdrawn.map(({ id }) => id)).toEqual(['a'])
    expect(drain(taken.queue)).toEqual(['[Queued messages while agent was busy]\n\n---\nQueued #1\ntext of c'])
    expect(drain(withdrawMessages(failed, ['a', 'c']).queue)).toEqual([])
  })

  test('[EX76] settling a turn that is not the running one is a mistake', () => {
    const started = acceptMessage(createMessageQueue(), says('m'), idle, 0)
    const turn = started.queue.running!
    const done = turnDelivered(started.queue, turn)
    expect(() => turnDelivered(done, turn)).toThrow(TypeError)
    expect(() => turnFailed(done, turn, 0)).toThrow(TypeError)
  })
})
