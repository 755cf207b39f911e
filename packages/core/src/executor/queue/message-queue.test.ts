import { describe, expect, test } from 'vitest'
import type { MessageQueue } from './message-batch.ts'
import {
  acceptMessage,
  createMessageQueue,
  heldMessages,
  type InboundMessage,
  nextBatch,
  type RunState,
} from './message-queue.ts'
import { batchDelivered, batchFailed, batchReturned, withdrawMessages } from './queue-outcomes.ts'
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from './queue-settings.ts'
import { returnSteers, steersDelivered, steersRefused, takeSteers } from './queue-steers.ts'

const idle: RunState = { type: 'idle' }
const open: RunState = { type: 'running', steering: 'open' }
const compacting: RunState = { type: 'running', steering: 'compacting' }

const says = (id: string, overrides: Partial<InboundMessage> = {}): InboundMessage => ({
  id,
  text: `text of ${id}`,
  sender: 'ada',
  ...overrides,
})

const withSettings = (settings: Partial<QueueSettings>) =>
  createMessageQueue({ ...DEFAULT_QUEUE_SETTINGS, ...settings })

/** Accepts the messages one by one at time 0 while a run is active. */
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

/** Delivers every batch at once until the queue is empty. */
function drain(queue: MessageQueue, now = 1_000_000) {
  const texts: string[] = []
  let next = nextBatch(queue, now)
  while (next.type === 'batch') {
    texts.push(next.batch.text)
    next = nextBatch(batchDelivered(next.queue, next.batch), now)
  }
  return texts
}

describe('accepting', () => {
  test('[EX60] a message to an idle agent starts a run at once, in every mode', () => {
    for (const mode of ['steer', 'followup', 'collect', 'interrupt'] as const) {
      const result = acceptMessage(withSettings({ mode }), says('m1'), idle, 5)
      expect(result).toMatchObject({ verdict: 'start', dropped: [], batch: { id: 'm1', failures: 0 } })
      expect(nextBatch(result.queue, 1_000_000).type).toBe('nothing')
    }
    expect(acceptMessage(withSettings({}), says('m1'), idle, 5)).toMatchObject({ batch: { text: 'text of m1' } })
  })

  test('[EX61] by default a message steers the open run, and waits when there is none', () => {
    expect(fill(createMessageQueue(), ['a', 'b'], open).verdicts).toEqual(['steer', 'steer'])
    for (const steering of ['not_streaming', 'compacting', 'runtime_rejected'] as const)
      expect(fill(createMessageQueue(), ['a'], { type: 'running', steering }).verdicts).toEqual(['queued'])
    const started = acceptMessage(createMessageQueue(), says('a'), idle, 0)
    expect(acceptMessage(started.queue, says('b'), idle, 0).verdict).toBe('queued')
  })

  test('[EX62] a steering message that the run refused waits, and one that it accepted but did not deliver goes to the front', () => {
    const waiting = fill(withSettings({}), [says('f', { mode: 'followup' })]).queue
    const steered = fill(waiting, ['a', 'b'], open).queue
    expect(drain(steersRefused(steered, ['a', 'b'], 0))).toEqual(['text of f', 'text of a', 'text of b'])
    const one = steersDelivered(steered, ['a'])
    expect(drain(returnSteers(one))).toEqual(['text of b', 'text of f'])
    expect(drain(one)).toEqual(['text of b', 'text of f'])
  })

  test('[EX63] no later message overtakes a waiting steering message, before or after the run ends', () => {
    const parked = fill(createMessageQueue(), ['a'], compacting).queue
    expect(acceptMessage(parked, says('b'), idle, 0).verdict).toBe('queued')
    expect(acceptMessage(parked, says('b'), open, 0)).toMatchObject({
      verdict: 'steer',
      messages: [{ id: 'a' }, { id: 'b' }],
    })
    expect(acceptMessage(parked, says('b', { sender: 'bob' }), open, 0).verdict).toBe('queued')
    const returned = returnSteers(fill(createMessageQueue(), ['a'], open).queue)
    const later = acceptMessage(returned, says('b'), idle, 0)
    expect(later.verdict).toBe('queued')
    expect(drain(later.queue)).toEqual(['text of a', 'text of b'])
  })

  test('[EX63] an open run is offered the waiting steering messages up to the first from another sender', () => {
    const parked = fill(createMessageQueue(), [
      'a',
      says('f', { mode: 'followup' }),
      says('b'),
      says('c', { sender: 'bob' }),
    ])
    const taken = takeSteers(parked.queue, { sender: 'ada' })
    expect(taken.messages.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(takeSteers(parked.queue, { sender: 'bob' }).messages).toEqual([])
    expect(heldMessages(taken.queue).map(({ id }) => id)).toEqual(['a', 'b', 'f', 'c'])
  })

  test('[EX64] a waiting follow-up does not stop later messages from steering', () => {
    const { verdicts } = fill(createMessageQueue(), [says('f', { mode: 'followup' }), says('b'), says('c')], open)
    expect(verdicts).toEqual(['queued', 'steer', 'steer'])
  })

  test('[EX65] an interrupt aborts the run and is delivered before everything that waits, together with what the run returned', () => {
    const steered = fill(withSettings({}), [says('f', { mode: 'followup' }), says('s')], open).queue
    const first = acceptMessage(steered, says('i', { mode: 'interrupt' }), open, 0)
    expect(first.verdict).toBe('interrupt')
    const second = acceptMessage(first.queue, says('j', { mode: 'interrupt' }), open, 0)
    expect(acceptMessage(second.queue, says('late'), open, 0).verdict).toBe('queued')
    expect(drain(second.queue)).toEqual(['text of s\n\ntext of i\n\ntext of j', 'text of f'])
  })

  test('[EX65] a batch that was not delivered yet comes back before the interrupt', () => {
    const started = acceptMessage(withSettings({ mode: 'followup' }), says('m'), idle, 0)
    const interrupted = acceptMessage(started.queue, says('i', { mode: 'interrupt' }), open, 0)
    expect(interrupted.verdict).toBe('interrupt')
    expect(drain(batchReturned(interrupted.queue, interrupted.queue.running!))).toEqual(['text of m\n\ntext of i'])
  })

  test('[EX67] an id is refused as a duplicate for five minutes, and for as long as its message is held', () => {
    const first = acceptMessage(createMessageQueue(), says('m'), idle, 0)
    const done = batchDelivered(first.queue, first.queue.running!)
    expect(acceptMessage(done, says('m'), idle, 299_999)).toMatchObject({ verdict: 'refused', reason: 'duplicate' })
    expect(acceptMessage(done, says('m'), idle, 300_000).verdict).toBe('start')
    expect(acceptMessage(first.queue, says('m'), open, 900_000)).toMatchObject({ reason: 'duplicate' })
  })

  test('[EX67] the newest 10000 ids are recognised as duplicates', () => {
    const recent = Array.from({ length: 10_000 }, (_, at) => ({ id: `m${at}`, at: 0 }))
    const full = { ...createMessageQueue(), recent }
    expect(acceptMessage(full, says('m0'), idle, 0)).toMatchObject({ reason: 'duplicate' })
    const next = acceptMessage(full, says('new'), open, 0).queue
    expect(next.recent).toHaveLength(10_000)
    expect(acceptMessage(next, says('m0'), open, 0).verdict).toBe('steer')
    expect(acceptMessage(next, says('m1'), open, 0)).toMatchObject({ reason: 'duplicate' })
  })
})

describe('batches', () => {
  test('[EX68] each follow-up is a batch of its own, in order, after the debounce time without new messages', () => {
    const { queue } = fill(withSettings({ mode: 'followup' }), ['a', 'b'])
    expect(nextBatch(queue, 499)).toMatchObject({ type: 'wait', until: 500 })
    expect(nextBatch(queue, 500)).toMatchObject({ type: 'batch', batch: { id: 'a', text: 'text of a' } })
    expect(drain(queue)).toEqual(['text of a', 'text of b'])
    expect(nextBatch(createMessageQueue(), 0).type).toBe('nothing')
  })

  test('[EX68] a full queue and a clock that was set back end the wait for quiet', () => {
    const full = fill(withSettings({ mode: 'followup', cap: 2 }), ['a', 'b']).queue
    expect(nextBatch(full, 1).type).toBe('batch')
    const later = acceptMessage(withSettings({ mode: 'followup' }), says('a'), open, 90_000_000).queue
    expect(nextBatch(later, 1_000).type).toBe('batch')
  })

  test('[EX69] collected messages run as one batch that numbers each message', () => {
    const { queue } = fill(withSettings({ mode: 'collect' }), ['a', 'b'])
    expect(drain(queue)).toEqual([
      '[Queued messages while agent was busy]\n\n---\nQueued #1\ntext of a\n\n---\nQueued #2\ntext of b',
    ])
  })

  test('[EX69] messages from different senders are collected separately, in order', () => {
    const { queue } = fill(withSettings({ mode: 'collect' }), [
      'a',
      'b',
      says('c', { sender: 'bob' }),
      says('d', { sender: 'cy' }),
      'e',
    ])
    let next = nextBatch(queue, 500)
    const groups: string[][] = []
    while (next.type === 'batch') {
      groups.push(next.batch.messages.map(({ id }) => id))
      next = nextBatch(batchDelivered(next.queue, next.batch), 500)
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

  test('[EX70] a summary has one line of at most 160 characters for each of the newest messages, up to the cap', () => {
    const long = (id: string) => says(id, { text: `${id} ${'word \n'.repeat(100)}` })
    const { queue } = fill(withSettings({ mode: 'followup', cap: 2 }), ['1', '2', '3', '4', '5'].map(long))
    const lines = drain(queue)[0]!.split('\n')
    expect(lines.slice(0, 2)).toEqual(['[Queue overflow] Dropped 3 messages due to cap.', 'Summary:'])
    expect(lines.slice(2).map((line) => line.slice(0, 9))).toEqual(['- 2 word ', '- 3 word '])
    expect(Math.max(...lines.slice(2).map((line) => line.length))).toBe(162)
  })

  test('[EX70] a summary keeps the sender of the dropped messages, and is part of a collected batch', () => {
    const bob = { sender: 'bob' }
    const apart = fill(withSettings({ mode: 'followup', cap: 1 }), [says('a', bob), says('b'), says('c')]).queue
    const first = nextBatch(apart, 500)
    expect(first).toMatchObject({ batch: { sender: 'bob', messages: [], overflow: { count: 1 } } })
    const collected = fill(withSettings({ mode: 'collect', cap: 2 }), ['a', 'b', 'c']).queue
    expect(drain(collected)).toEqual([
      '[Queued messages while agent was busy]\n\n' +
        '[Queue overflow] Dropped 1 message due to cap.\nSummary:\n- text of a\n\n' +
        '---\nQueued #1\ntext of b\n\n---\nQueued #2\ntext of c',
    ])
  })

  test('[EX71] the policy old drops the oldest message, the policy new refuses the newest', () => {
    const old = fill(withSettings({ mode: 'followup', cap: 2, drop: 'old' }), ['a', 'b', 'c'])
    expect(old.dropped).toEqual(['a'])
    expect(drain(old.queue)).toEqual(['text of b', 'text of c'])
    const full = fill(withSettings({ mode: 'followup', cap: 2, drop: 'new' }), ['a', 'b', 'c'])
    expect(full.verdicts).toEqual(['queued', 'queued', 'refused'])
    expect(drain(full.queue)).toEqual(['text of a', 'text of b'])
  })

  test('[EX72] overflow never drops a message that is being delivered or was returned, nor an interrupt', () => {
    const running = nextBatch(fill(withSettings({ mode: 'followup', cap: 1 }), ['a']).queue, 500).queue
    const more = fill(running, ['b', 'c', says('i', { mode: 'interrupt' }), 'd'], open)
    expect(more.dropped).toEqual(['b', 'c'])
    const back = batchReturned(more.queue, more.queue.running!)
    const after = fill(back, ['e'], open)
    expect(after.dropped).toEqual(['d'])
    expect(drain(after.queue)[0]).toBe('text of a\n\ntext of i')
    expect(fill(back, [says('k', { mode: 'interrupt' })], open).verdicts).toEqual(['refused'])
  })
})

describe('outcomes', () => {
  test('[EX73] a failed batch is retried three times with growing delays, then reported, and the next one runs', () => {
    let next = nextBatch(fill(withSettings({ mode: 'followup' }), ['a', 'b']).queue, 500)
    let now = 500
    const waits: number[] = []
    for (;;) {
      if (next.type !== 'batch') throw new Error('no batch')
      expect(next.batch.id).toBe('a')
      const failed = batchFailed(next.queue, next.batch, now)
      if (failed.reported) {
        expect(failed.reported).toMatchObject({ id: 'a', failures: 4 })
        expect(drain(failed.queue, now)).toEqual(['text of b'])
        break
      }
      waits.push(failed.retryAt! - now)
      expect(nextBatch(failed.queue, failed.retryAt! - 1)).toMatchObject({ type: 'wait', until: failed.retryAt })
      now = failed.retryAt!
      next = nextBatch(failed.queue, now)
    }
    expect(waits).toEqual([1_000, 5_000, 30_000])
  })

  test('[EX73] an interrupt does not wait for the retry of another batch', () => {
    const handed = nextBatch(fill(withSettings({ mode: 'followup' }), ['a']).queue, 500)
    const failed = batchFailed(handed.queue, handed.queue.running!, 500).queue
    const interrupted = acceptMessage(failed, says('i', { mode: 'interrupt' }), idle, 501)
    expect(nextBatch(interrupted.queue, 501)).toMatchObject({ type: 'batch', batch: { id: 'i' } })
    expect(drain(interrupted.queue)).toEqual(['text of i', 'text of a'])
  })

  test('[EX75] a message can be withdrawn until it is being delivered', () => {
    const queue = fill(withSettings({ mode: 'collect' }), ['a', 'b', 'c']).queue
    const handed = nextBatch(withdrawMessages(queue, ['b']).queue, 500)
    expect(handed.queue.running?.messages.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(withdrawMessages(handed.queue, ['a']).withdrawn).toEqual([])
    const failed = batchFailed(handed.queue, handed.queue.running!, 500).queue
    const taken = withdrawMessages(failed, ['a', 'x'])
    expect(taken.withdrawn.map(({ id }) => id)).toEqual(['a'])
    expect(drain(taken.queue)).toEqual(['[Queued messages while agent was busy]\n\n---\nQueued #1\ntext of c'])
    expect(drain(withdrawMessages(failed, ['a', 'c']).queue)).toEqual([])
  })

  test('[EX76] settling a batch that is not running throws', () => {
    const started = acceptMessage(createMessageQueue(), says('m'), idle, 0)
    const batch = started.queue.running!
    const done = batchDelivered(started.queue, batch)
    expect(() => batchDelivered(done, batch)).toThrow(TypeError)
    expect(() => batchFailed(done, batch, 0)).toThrow(TypeError)
  })
})
